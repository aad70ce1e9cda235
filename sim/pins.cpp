// The Verilated chips behind the pins of their serial lines, 8N1: standard input and output are the other ends.
#include "Vhost.h"
#include "verilated.h"

#include "line.h"

double sc_time_stamp() { return 0; }

namespace {

// Sends bytes bit by bit.
class Sender {
public:
    bool is_free() const { return left == 0; }
    void send(unsigned char byte) {
        bits = 0x200u | static_cast<unsigned>(byte) << 1;
        left = 10;
        wait = DIVISOR;
    }
    // Level of the line in the next clock.
    bool level() {
        if (left == 0) return true;
        const bool bit = bits & 1;
        if (--wait == 0) {
            bits >>= 1;
            left--;
            wait = DIVISOR;
        }
        return bit;
    }

private:
    unsigned bits = 0, left = 0, wait = 0;
};

// Receives bytes: waits for a start bit, then samples each bit in its middle.
class Receiver {
public:
    bool is_free() const { return bit < 0; }
    // Takes the level of a clock. Returns true if it ends a byte.
    bool take(bool level) {
        if (bit < 0) {
            if (!level) {
                bit = 0;
                wait = DIVISOR + DIVISOR / 2 - 1;
            }
            return false;
        }
        if (--wait > 0) return false;
        wait = DIVISOR;
        if (bit == 8) {
            bit = -1;
            // a stop bit of 0 is noise, and no byte
            return level;
        }
        byte = static_cast<unsigned char>(byte >> 1 | (level ? 0x80 : 0));
        bit++;
        return false;
    }
    unsigned char byte = 0;

private:
    int bit = -1;
    unsigned wait = 0;
};

}  // namespace

int main() {
    Vhost host;
    const auto tick = [&host] {
        host.PIN(clk) = 0;
        host.eval();
        host.PIN(clk) = 1;
        host.eval();
    };
    host.PIN(reset) = 0;
    for (unsigned board = 0; board < LINES; board++) set_part(host.PIN(serial_in), board, 1, 1);
    // boards reset themselves
    for (int clock = 0; clock < 64; clock++) tick();
    Lines lines(200000 + 20 * DIVISOR);
    Sender senders[LINES];
    Receiver receivers[LINES];
    while (lines.look()) {
        for (unsigned board = 0; board < LINES; board++) {
            if (senders[board].is_free() && lines.has_byte(board)) {
                senders[board].send(lines.byte(board));
                lines.next(board);
            }
            set_part(host.PIN(serial_in), board, 1, senders[board].level());
        }
        tick();
        bool is_busy = false;
        for (unsigned board = 0; board < LINES; board++) {
            Receiver &receiver = receivers[board];
            if (receiver.take(part(host.PIN(serial_out), board, 1)) && !Lines::put(board, receiver.byte)) return 0;
            is_busy = is_busy || !senders[board].is_free() || !receiver.is_free();
        }
        lines.clocked(is_busy);
    }
}
