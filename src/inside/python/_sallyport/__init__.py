"""The Python interpreter that runs behind the wall; the wire protocol is `src/inside/PROTOCOL.md`.

Parts that need no descriptors, signals or sockets, and so also serve a Python without an operating system:

    source          program text → code object: tolerance, top-level await and return
    program         the session's state, one program from text to outcome
    traceback_text  what an uncaught error prints
    display         images of a run; `scaling` makes them fit
    adapters        small changes to libraries when they are imported
    repairs         puts back what a program broke in `builtins`
    hatch           `mcp`, as programs see it
    frames          bytes ↔ frames

Parts for a real process:

    process         start, run loop
    descriptors     standard input, output and error
    interrupts      SIGINT
    channel         the control channel; routes replies while programs run
    event_loop      drives coroutines to their end
    spawned_main    what `multiprocessing` children find as `__main__`

Everything is imported as late as it can be: start-up time and idle memory are paid by every session.
"""
