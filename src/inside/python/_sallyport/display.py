"""The images of a run: open figures, what `display(…)` and `Image.show()` were given, an image as the last value.

An image is encoded when it is shown, since figures change later; all of a run's images are made to fit together at its
end. What does not fit is written to a file in the working directory and named in a note: nothing is lost.
"""

import sys

# All images of one answer together, before base64; the host refuses more (`imageBytesMax`, `imagesMax`).
IMAGE_BYTES_MAX = 750_000
IMAGES_MAX = 20
# Longest side in pixels of what is drawn here; models see no more than this.
SIDE_MAX = 2000
FILES_NAMED_MAX = 10

_PNG_MODES = ('1', 'L', 'LA', 'P', 'RGB', 'RGBA', 'I', 'I;16')
_REPR_METHODS = ('_repr_png_', '_repr_jpeg_')
_BUNDLE_TYPES = ('image/png', 'image/jpeg', 'image/webp', 'image/gif')


class Images:
    def __init__(self):
        self.clear()

    def clear(self):
        self._images = []
        self._figures_shown = []
        self._files = []

    def display(self, *objects, **options):
        """Shows figures, images and anything else. Options of other `display` functions are accepted and ignored."""
        for value in objects:
            if not self.add(value) and not self._add_bytes(value):
                print(repr(value))

    def add(self, value):
        """Keeps the value's image; False when it has none."""
        kind = type(value)
        if _is_instance(value, 'matplotlib.figure', 'Figure'):
            self._add_figure(value)
            return True
        if _is_instance(value, 'PIL.Image', 'Image'):
            return self._add_bytes(_encode_picture(value))
        if hasattr(kind, '_repr_mimebundle_') and self._add_bundle(value._repr_mimebundle_()):
            return True
        return any(self._add_bytes(getattr(value, name)()) for name in _REPR_METHODS if hasattr(kind, name))

    def add_open_figures(self):
        """Keeps and closes what `pyplot` has open, in the order of figure numbers."""
        pyplot = sys.modules.get('matplotlib.pyplot')
        managers = getattr(sys.modules.get('matplotlib._pylab_helpers'), 'Gcf', None)
        if pyplot is None or not getattr(managers, 'figs', None):
            return
        try:
            for manager in sorted(managers.get_all_fig_managers(), key=lambda manager: str(manager.num).zfill(9)):
                figure = manager.canvas.figure
                # A figure has its background as a child from the start; nothing else means nothing was drawn.
                if len(figure.get_children()) > 1:
                    self._add_figure(figure)
        finally:
            pyplot.close('all')

    def take(self):
        """All images of the run as (mime, bytes), fitted, and notes about those that went to files."""
        images, self._images = self._images, []
        if sum(len(data) for _, data in images) > IMAGE_BYTES_MAX:
            from . import scaling

            images, left_over = scaling.fit(images, IMAGE_BYTES_MAX)
            for mime, data in left_over:
                self._save(mime, data)
        files, self._files = self._files, []
        self._figures_shown = []
        return images, [_file_note(files)] if files else []

    def _add_figure(self, figure):
        if any(figure is shown for shown in self._figures_shown):
            return
        self._figures_shown.append(figure)
        self._keep('image/png', _draw(figure))

    def _add_bundle(self, bundle):
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        if not isinstance(data, dict):
            return False
        return any(self._add_bytes(data[mime]) for mime in _BUNDLE_TYPES if mime in data)

    def _add_bytes(self, data):
        """Takes the bytes of an image file, or their base64 text, alone or with metadata as notebooks pass them."""
        if isinstance(data, tuple) and data:
            data = data[0]
        if type(data) is str and data.startswith(('iVBORw0KGgo', '/9j/', 'R0lGOD', 'UklGR')):
            import binascii

            data = binascii.a2b_base64(data)
        if not isinstance(data, (bytes, bytearray, memoryview)):
            return False
        data = bytes(data)
        mime = _kind_of(data)
        if mime is None:
            return False
        self._keep(mime, data)
        return True

    def _keep(self, mime, data):
        if len(self._images) < IMAGES_MAX:
            self._images.append((mime, data))
        else:
            self._save(mime, data)

    def _save(self, mime, data):
        suffix = mime.partition('/')[2].replace('jpeg', 'jpg')
        number = 1
        while True:
            name = 'image-%d.%s' % (number, suffix)
            try:
                with open(name, 'xb') as file:
                    file.write(data)
            except FileExistsError:
                number += 1
                continue
            except OSError as error:
                name = 'not saved (%s)' % error.strerror
            self._files.append(name)
            return


def _is_instance(value, module, name):
    """Without importing the module: a value of its class can only exist once someone else has."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(value, kind)


def _draw(figure):
    import io

    longest = max(figure.get_size_inches())
    stream = io.BytesIO()
    figure.savefig(stream, format='png', dpi=min(figure.dpi, SIDE_MAX / longest), bbox_inches='tight')
    return stream.getvalue()


def _encode_picture(picture):
    import io

    if picture.mode not in _PNG_MODES:
        picture = picture.convert('RGB')
    if max(picture.size) > SIDE_MAX:
        picture = picture.copy()
        picture.thumbnail((SIDE_MAX, SIDE_MAX))
    stream = io.BytesIO()
    picture.save(stream, 'PNG')
    return stream.getvalue()


def _kind_of(data):
    if data.startswith(b'\x89PNG\r\n\x1a\n'):
        return 'image/png'
    if data.startswith(b'\xff\xd8\xff'):
        return 'image/jpeg'
    if data.startswith((b'GIF87a', b'GIF89a')):
        return 'image/gif'
    if data[:4] == b'RIFF' and data[8:12] == b'WEBP':
        return 'image/webp'
    return None


def _file_note(names):
    shown = ', '.join(names[:FILES_NAMED_MAX])
    more = ' and %d more' % (len(names) - FILES_NAMED_MAX) if len(names) > FILES_NAMED_MAX else ''
    count = '1 image is' if len(names) == 1 else '%d images are' % len(names)
    return '%s too large or too many to show: %s%s' % (count, shown, more)
