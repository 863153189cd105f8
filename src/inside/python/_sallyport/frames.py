"""The codec of PROTOCOL.md: bytes ↔ frames. A frame here is `(verb, [(name, value bytes), …])`."""

# The host's own bounds on a frame, with room to spare; past them the stream is not ours any more.
FIELDS_MAX = 4096
FRAME_BYTES_MAX = 128 * 1024 * 1024
# `verb N\n`: longer than any header that can be meant.
HEADER_BYTES_MAX = 64


class FrameError(Exception):
    """The bytes are no frame. There is no way to find the next one."""


def encode(verb, fields):
    parts = [b'%s %d\n' % (verb.encode(), len(fields))]
    for name, value in fields:
        if type(value) is str:
            value = value.encode('utf-8', 'backslashreplace')
        parts += (b'%s %d\n' % (name.encode(), len(value)), value, b'\n')
    return b''.join(parts)


class Decoder:
    """Takes bytes in pieces of any size, gives whole frames."""

    def __init__(self):
        self._data = bytearray()
        # Bytes without which a frame cannot be whole: a long value is not parsed again with every piece of it.
        self._needed = 1

    def feed(self, chunk):
        self._data += chunk

    def take(self):
        """The next frame, or None while it is incomplete."""
        data = self._data
        if len(data) < self._needed:
            return None
        header = self._header(0)
        if header is None:
            return None
        verb, count, at = header
        if count > FIELDS_MAX:
            raise FrameError('too many fields')
        fields = []
        for _ in range(count):
            header = self._header(at)
            if header is None:
                return None
            name, length, at = header
            end = at + length
            if end > FRAME_BYTES_MAX:
                raise FrameError('frame too long')
            if len(data) <= end:
                self._needed = end + 1
                return None
            if data[end] != 10:
                raise FrameError('value without its end')
            fields.append((name, bytes(data[at:end])))
            at = end + 1
        del data[:at]
        self._needed = 1
        return verb, fields

    def _header(self, at):
        """`name NUMBER\\n` at this place: (name, number, place after it), or None while it is incomplete."""
        end = self._data.find(b'\n', at, at + HEADER_BYTES_MAX)
        if end < 0:
            if len(self._data) - at >= HEADER_BYTES_MAX:
                raise FrameError('header too long')
            self._needed = len(self._data) + 1
            return None
        name, _, number = bytes(self._data[at:end]).partition(b' ')
        letters = name.replace(b'-', b'')
        if not (letters.isalpha() and letters.islower() and number.isdigit()):
            raise FrameError('not a header')
        return name.decode('ascii'), int(number), end + 1
