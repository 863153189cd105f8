"""Small changes to libraries, made when a program imports them; nothing is imported for their sake.

linecache               knows the source of programs (`<run 3>`)
threading               an error that ends a thread prints only the program's own frames
matplotlib.pyplot       `show()` keeps the open figures as images and closes them, as closing the windows would
PIL.ImageShow           `image.show()` keeps the image instead of starting a viewer
IPython.display         `display` is ours
concurrent.futures      work that an executor's thread does is of the run that gave it
multiprocessing         forks by default also from 3.14 on: only a copy of the session has all of its state
multiprocessing.spawn   a fresh child finds the running program's functions, as it would those of a script
"""

import sys


def install(interpreter):
    finder = _Finder(interpreter)
    for name, adapt in _ADAPTERS.items():
        module = sys.modules.get(name)
        if module is not None:
            adapt(module, interpreter)
    sys.meta_path.insert(0, finder)


class _Finder:
    """Finds nothing by itself: lets the other finders work and adapts the module after it was loaded."""

    def __init__(self, interpreter):
        self._interpreter = interpreter

    def find_spec(self, name, path, target=None):
        adapt = _ADAPTERS.get(name)
        if adapt is None:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                self._adapt_when_loaded(spec.loader, name, adapt)
                return spec
        return None

    def _adapt_when_loaded(self, loader, name, adapt):
        if loader is None or isinstance(loader, type):
            return  # a class serves all built-in or frozen modules: nothing to hang a change on
        load = loader.exec_module

        def exec_module(module):
            load(module)
            if module.__name__ == name:  # some loaders, as for zip files, serve several modules
                adapt(module, self._interpreter)

        loader.exec_module = exec_module


def _adapt_linecache(module, interpreter):
    interpreter.sources.publish()


def _adapt_threading(module, interpreter):
    def excepthook(args):
        if args.exc_type is SystemExit or sys.stderr is None:
            return
        name = args.thread.name if args.thread is not None else 'unknown'
        error = args.exc_value if args.exc_value is not None else args.exc_type()
        sys.stderr.write('Exception in thread %s:\n%s' % (name, interpreter.tracebacks.describe(error)))

    module.excepthook = excepthook


def _adapt_thread_executor(module, interpreter):
    from _contextvars import copy_context

    submit = module.ThreadPoolExecutor.submit

    def in_context(self, work, /, *arguments, **named):
        return submit(self, copy_context().run, work, *arguments, **named)

    in_context.__name__ = in_context.__qualname__ = 'submit'
    module.ThreadPoolExecutor.submit = in_context


def _adapt_pyplot(module, interpreter):
    # A function, since pyplot sets attributes on it.
    def show(*arguments, **options):
        interpreter.images.add_open_figures()

    module.show = show


def _adapt_image_show(module, interpreter):
    def show(image, title=None, **options):
        return interpreter.images.add(image)

    module.show = show


def _adapt_ipython_display(module, interpreter):
    module.display = interpreter.images.display


def _adapt_multiprocessing(module, interpreter):
    if sys.version_info >= (3, 14):
        # Not `set_start_method`, which would keep the program from setting its own.
        module.context._default_context._default_context = module.get_context('fork')


def _adapt_spawn(module, interpreter):
    get_preparation_data = module.get_preparation_data

    def with_program(name):
        data = get_preparation_data(name)
        from .spawned_main import write_main

        data['init_main_from_path'] = write_main(interpreter.sources)
        return data

    module.get_preparation_data = with_program


_ADAPTERS = {
    'linecache': _adapt_linecache,
    'threading': _adapt_threading,
    'concurrent.futures.thread': _adapt_thread_executor,
    'matplotlib.pyplot': _adapt_pyplot,
    'PIL.ImageShow': _adapt_image_show,
    'IPython.display': _adapt_ipython_display,
    'multiprocessing': _adapt_multiprocessing,
    'multiprocessing.spawn': _adapt_spawn,
}
