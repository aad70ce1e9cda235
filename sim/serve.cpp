// The Verilated engine behind its stream of bytes: standard input and output are the line.
//
// Clocks run while there is something to do, and for a while after it: a silent line takes no processor time.
#include "Vhost.h"
#include "line.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

int main() {
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
    Line line(200000);
    while (line.look()) {
        host.clk = 0;
        host.s_axis_tvalid = line.has_byte();
        if (line.has_byte()) host.s_axis_tdata = line.byte();
        host.eval();
        const bool taken = host.s_axis_tvalid && host.s_axis_tready;
        const bool leaves = host.m_axis_tvalid;
        const unsigned char byte = host.m_axis_tdata;
        host.clk = 1;
        host.eval();
        if (taken) line.next();
        line.clocked(taken || leaves);
        if (leaves && !Line::put(byte)) return 0;
    }
}
