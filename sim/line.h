// The line of a simulated engine: standard input and output, read and written byte by byte.
#pragma once

#include <cerrno>
#include <poll.h>
#include <unistd.h>

class Line {
public:
    // Clocks without a byte after which the simulation waits for one: more than any timer of the engine counts.
    explicit Line(unsigned long clocks) : idle_clocks(clocks), idle(clocks) {}

    bool has_byte() const { return at < count; }
    unsigned char byte() const { return bytes[at]; }
    void next() { at++; }

    // Looks whether bytes have come, and waits for them if nothing else happens. Returns false at the end of the line.
    bool look() {
        for (;;) {
            // a look at the line costs more than a clock
            if (has_byte() || (idle < idle_clocks && idle % 32 != 0)) return true;
            pollfd line{STDIN_FILENO, POLLIN, 0};
            const bool waits = idle >= idle_clocks;
            const int ready = poll(&line, 1, waits ? 1000 : 0);
            if (ready > 0) {
                const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
                if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
                if (got > 0) {
                    at = 0;
                    count = got;
                    idle = 0;
                }
            }
            if (!waits || has_byte()) return true;
            // a pseudo-terminal stays open when whoever serves it is killed
            if (ready == 0 && getppid() != server) return false;
        }
    }

    // Counts a clock in which something happened on the line, or nothing.
    void clocked(bool is_busy) { idle = is_busy || has_byte() ? 0 : idle + 1; }

    // Writes a byte. Returns false if nobody is there to read it.
    static bool put(unsigned char byte) {
        for (;;) {
            const ssize_t written = write(STDOUT_FILENO, &byte, 1);
            if (written == 1) return true;
            if (written < 0 && errno != EAGAIN && errno != EINTR) return false;
            pollfd line{STDOUT_FILENO, POLLOUT, 0};
            poll(&line, 1, 100);
        }
    }

private:
    const unsigned long idle_clocks;
    const pid_t server = getppid();
    unsigned char bytes[4096];
    ssize_t count = 0, at = 0;
    unsigned long idle;
};
