"""Values that cross the hatch: arguments on their way out, results on their way in."""

import json

# The host takes no longer frame, and would end the interpreter over one.
PARAMS_BYTES = 64 * 1024 * 1024


class Blob(bytes):
    """The bytes of a picture, a sound or a file, with their type."""

    mime_type = 'application/octet-stream'


class Link(dict):
    """Something that can be read from its server."""

    def __init__(self, fields, read):
        super().__init__(fields)
        self._read = read

    def read(self):
        return self._read(self['uri'])


def encode(params):
    """JSON of what programs hold: also paths, dates, sets, bytes, arrays, data classes."""
    text = _encode(params)
    if len(text) > PARAMS_BYTES:
        raise ValueError('the arguments are longer than %d MiB' % (PARAMS_BYTES // 1024 // 1024))
    return text


def _plain(value):
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        import base64

        return base64.b64encode(value).decode()
    for name in ('isoformat', '__fspath__', 'tolist', 'model_dump', '_asdict'):
        method = getattr(value, name, None)
        if callable(method):
            return method()
    if hasattr(value, '__dataclass_fields__'):
        import dataclasses

        return dataclasses.asdict(value)
    raise TypeError('an argument is a %s, which JSON has no word for' % type(value).__name__)


# Made once: `json.dumps` makes one for every text that it writes in another way than the usual.
_encode = json.JSONEncoder(default=_plain, allow_nan=False, separators=(',', ':')).encode


def decode(value, read):
    """The value of a result. `read(uri)` reads what a link leads to."""
    kind = value.get('kind')
    if kind == 'json':
        return json.loads(value['text']) if 'text' in value else value.get('value')
    if kind == 'text':
        return value['text']
    if kind == 'binary':
        import base64

        blob = Blob(base64.b64decode(value['base64']))
        blob.mime_type = value['mimeType']
        return blob
    if kind == 'link':
        return Link(value['link'], read)
    if kind == 'list':
        return [decode(item, read) for item in value['items']]
    return None
