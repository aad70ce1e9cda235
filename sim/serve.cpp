// The Verilated design behind its streams of bytes, one for each board: standard input and output are the lines.
//
// Clocks run while there is something to do, and for a while after it: silent lines take no processor time.
#include "Vhost.h"
#include "verilated.h"

#include "line.h"

double sc_time_stamp() { return 0; }

int main() {
    Vhost host;
    const auto tick = [&host] {
        host.clk = 0;
        host.eval();
        host.clk = 1;
        host.eval();
    };
    for (unsigned board = 0; board < LINES; board++) {
        set_part(host.overrun, board, 1, 0);
        set_part(host.s_axis_tvalid, board, 1, 0);
        set_part(host.m_axis_tready, board, 1, 1);
    }
    host.rst = 1;
    for (int clock = 0; clock < 16; clock++) tick();
    host.rst = 0;
    Lines lines(200000);
    while (lines.look()) {
        host.clk = 0;
        for (unsigned board = 0; board < LINES; board++) {
            const bool has_byte = lines.has_byte(board);
            set_part(host.s_axis_tvalid, board, 1, has_byte);
            if (has_byte) set_part(host.s_axis_tdata, board, 8, lines.byte(board));
        }
        host.eval();
        const auto valid = host.s_axis_tvalid, ready = host.s_axis_tready, leaving = host.m_axis_tvalid;
        const auto out = host.m_axis_tdata;
        host.clk = 1;
        host.eval();
        bool is_busy = false;
        for (unsigned board = 0; board < LINES; board++) {
            const bool taken = part(valid, board, 1) && part(ready, board, 1);
            const bool leaves = part(leaving, board, 1);
            if (taken) lines.next(board);
            is_busy = is_busy || taken || leaves;
            if (leaves && !Lines::put(board, static_cast<unsigned char>(part(out, board, 8)))) return 0;
        }
        lines.clocked(is_busy);
    }
}
