"""Python inside WebAssembly: what `_sallyport.process` is to a real process.

    process   takes runs from the thread that owns this Python
    blocking  waiting: `time.sleep` and asyncio without an operating system
    absent    what to say about modules that cannot be here
"""
