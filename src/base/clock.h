// Wall-clock time for reports and benches, in seconds from an arbitrary start; never goes back.
#ifndef SN_BASE_CLOCK_H
#define SN_BASE_CLOCK_H

double sn_clock_seconds(void);

#endif
