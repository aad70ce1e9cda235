// The lines of simulated boards: standard input and output, read and written byte by byte.
//
// Several lines share them: before each byte goes the number of its board.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <deque>
#include <poll.h>
#include <unistd.h>

#include "settings.h"

class Lines {
public:
    // Clocks without a byte after which the simulation waits for one: more than any timer of the design counts.
    explicit Lines(unsigned long most_idle) : idle_clocks(most_idle), idle(most_idle) {
        // whoever has gone is seen by the write
        std::signal(SIGPIPE, SIG_IGN);
    }

    bool has_byte(unsigned board) const { return !bytes[board].empty(); }
    unsigned char byte(unsigned board) const { return bytes[board].front(); }
    void next(unsigned board) {
        bytes[board].pop_front();
        stuck = 0;
    }

    // Looks whether bytes have come, and waits for them if nothing else happens. Returns false at the end of the lines.
    bool look() {
        for (;;) {
            const bool waits = !has_any() && idle >= idle_clocks;
            // a look at the lines costs more than a clock; a board that waits for another one has bytes that it does not take
            if (!waits && ((LINES == 1 && has_any()) || ++clocks % 32 != 0)) return true;
            // bytes for a board that takes none are left with their sender
            const bool has_room = most_waiting() < MOST_BYTES;
            pollfd line{STDIN_FILENO, static_cast<short>(has_room ? POLLIN : 0), 0};
            const int ready = poll(&line, 1, waits ? 1000 : 0);
            if (ready > 0 && !has_room) {
                if (stuck > idle_clocks) return false;
            } else if (ready > 0) {
                unsigned char got[4096];
                const ssize_t count = read(STDIN_FILENO, got, sizeof got);
                if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return false;
                for (ssize_t at = 0; at < count; at++) take(got[at]);
                if (count > 0) idle = 0;
            }
            if (!waits || has_any()) return true;
            // a pseudo-terminal stays open when whoever serves it is killed
            if (ready == 0 && getppid() != server) return false;
        }
    }

    // Counts a clock in which something happened on a line, or nothing.
    void clocked(bool is_busy) {
        idle = is_busy || has_any() ? 0 : idle + 1;
        stuck++;
    }

    // Writes a byte. Returns false if nobody is there to read it.
    static bool put(unsigned board, unsigned char byte) {
        const unsigned char pair[2] = {static_cast<unsigned char>(board), byte};
        return LINES == 1 ? write_all(pair + 1, 1) : write_all(pair, 2);
    }

private:
    // Bytes that wait for a board, and those of a read more.
    static constexpr std::size_t MOST_BYTES = 1 << 20;
    const unsigned long idle_clocks;
    const pid_t server = getppid();
    std::deque<unsigned char> bytes[LINES];
    // board of the next byte, if there are several
    int addressed = LINES == 1 ? 0 : -1;
    unsigned long idle;
    unsigned long clocks = 0;
    // clocks since a board took a byte
    unsigned long stuck = 0;

    bool has_any() const {
        for (unsigned board = 0; board < LINES; board++) {
            if (has_byte(board)) return true;
        }
        return false;
    }

    std::size_t most_waiting() const {
        std::size_t most = 0;
        for (const auto &own : bytes) most = own.size() > most ? own.size() : most;
        return most;
    }

    void take(unsigned char byte) {
        if (addressed < 0) {
            addressed = byte % LINES;
        } else {
            bytes[addressed].push_back(byte);
            if (LINES > 1) addressed = -1;
        }
    }

    static bool write_all(const unsigned char *from, ssize_t left) {
        while (left > 0) {
            const ssize_t written = write(STDOUT_FILENO, from, left);
            if (written > 0) {
                from += written;
                left -= written;
                continue;
            }
            if (written < 0 && errno != EAGAIN && errno != EINTR) return false;
            pollfd line{STDOUT_FILENO, POLLOUT, 0};
            poll(&line, 1, 100);
        }
        return true;
    }
};

// Part of a port that has the signals of all boards side by side: a byte, or a bit.
template <class T>
unsigned part(const T &port, unsigned at, unsigned bits) {
    return static_cast<unsigned>(port >> (at * bits)) & ((1u << bits) - 1);
}
template <class T>
void set_part(T &port, unsigned at, unsigned bits, unsigned value) {
    const T mask = static_cast<T>((1u << bits) - 1) << (at * bits);
    port = static_cast<T>((port & ~mask) | (static_cast<T>(value) << (at * bits)));
}
template <std::size_t N>
unsigned part(const VlWide<N> &port, unsigned at, unsigned bits) {
    return port[at * bits / 32] >> (at * bits % 32) & ((1u << bits) - 1);
}
template <std::size_t N>
void set_part(VlWide<N> &port, unsigned at, unsigned bits, unsigned value) {
    EData &word = port[at * bits / 32];
    const unsigned mask = ((1u << bits) - 1) << (at * bits % 32);
    word = (word & ~mask) | value << (at * bits % 32);
}
