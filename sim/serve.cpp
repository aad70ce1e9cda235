// The Verilated engine behind its stream of bytes: standard input and output are the line.
//
// Clocks run while there is something to do, and for a while after it: a silent line takes no processor time.
#include "Vhost.h"
#include "verilated.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace {

const unsigned long IDLE = 200000;  // clocks without a byte, more than any timer of the engine counts

bool put(unsigned char byte) {
    for (;;) {
        const ssize_t written = write(STDOUT_FILENO, &byte, 1);
        if (written == 1) return true;
        if (written < 0 && errno != EAGAIN && errno != EINTR) return false;
        pollfd line{STDOUT_FILENO, POLLOUT, 0};
        poll(&line, 1, 100);
    }
}

}  // namespace

double sc_time_stamp() { return 0; }

int main() {
    const pid_t server = getppid();
    Vhost host;
    const auto tick = [&host] {
        host.clk = 0;
        host.eval();
        host.clk = 1;
        host.eval();
    };
    host.overrun = 0;
    host.s_axis_tvalid = 0;
    host.m_axis_tready = 1;
    host.rst = 1;
    for (int clock = 0; clock < 16; clock++) tick();
    host.rst = 0;
    unsigned char bytes[4096];
    ssize_t count = 0, at = 0;
    unsigned long idle = IDLE;
    for (;;) {
        if (at == count) {
            pollfd line{STDIN_FILENO, POLLIN, 0};
            // a look at the line costs more than a clock
            if (idle >= IDLE || idle % 32 == 0) {
                const int ready = poll(&line, 1, idle >= IDLE ? 1000 : 0);
                // a pseudo-terminal stays open when whoever serves it is killed
                if (ready == 0 && idle >= IDLE) {
                    if (getppid() != server) return 0;
                    continue;
                }
                if (ready > 0) {
                    const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
                    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return 0;
                    if (got > 0) {
                        at = 0;
                        count = got;
                        idle = 0;
                    }
                }
            }
        }
        host.clk = 0;
        host.s_axis_tvalid = at < count;
        if (at < count) host.s_axis_tdata = bytes[at];
        host.eval();
        const bool taken = host.s_axis_tvalid && host.s_axis_tready;
        const bool leaves = host.m_axis_tvalid;
        const unsigned char byte = host.m_axis_tdata;
        host.clk = 1;
        host.eval();
        if (taken) at++;
        idle = taken || leaves || at < count ? 0 : idle + 1;
        if (leaves && !put(byte)) return 0;
    }
}
