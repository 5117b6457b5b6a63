/*
 * injection_point.h -- named places at which a test holds a process up, to kill it there, to fill
 * a disk or to promote a standby. They are compiled in with -DDPSYN_STOP_POINTS alone, which
 * test/faults does in a copy of the sources. Any other build has none: script/check looks.
 */
#ifndef DPSYN_INJECTION_POINT_H
#define DPSYN_INJECTION_POINT_H

#ifdef DPSYN_STOP_POINTS
/*
 * Waits here while the file "stop" in the directory $DPSYN_STOP_DIRECTORY holds this name.
 * Meanwhile the file "stopped" there holds the number of the process. An injection point answers to
 * interrupts, unless they are held off where it stands.
 */
extern void dp_injection_point(const char *name);
#define DP_INJECTION_POINT(name) dp_injection_point(name)
#else
#define DP_INJECTION_POINT(name) ((void) 0)
#endif

#endif
