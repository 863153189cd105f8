"""Makes the images of a run fit into one answer together.

Small images keep their bytes; the room that is left is shared by the large ones, which get fewer colours, fewer pixels
or JPEG's loss, in this order of preference, as little as does it. Needs Pillow, which whoever draws figures has.
"""

import io

# Longest side with which the search starts: about what models look at.
SIDE_START = 1600
SCALES = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15)
JPEG_QUALITY = 85
_FAST_OCTREE = 2  # the one method that keeps transparency
_NO_DITHER = 0


def fit(images, room):
    """(images that fit, images that cannot be made to), both in the given order."""
    fitted = {}
    left_over = {}
    waiting = len(images)
    for index in sorted(range(len(images)), key=lambda index: len(images[index][1])):
        mime, data = images[index]
        share = room // waiting
        waiting -= 1
        small = (mime, data) if len(data) <= share else _shrink(mime, data, share)
        if small is None:
            left_over[index] = (mime, data)
        else:
            fitted[index] = small
            room -= len(small[1])
    return [fitted[index] for index in sorted(fitted)], [left_over[index] for index in sorted(left_over)]


def _shrink(mime, data, limit):
    try:
        from PIL import Image

        picture = Image.open(io.BytesIO(data))
        if getattr(picture, 'is_animated', False):
            return None
        picture = picture.convert('RGBA' if 'A' in picture.getbands() or 'transparency' in picture.info else 'RGB')
    except (ImportError, OSError, ValueError, SyntaxError):  # no Pillow, or bytes that it cannot read
        return None
    start = min(1.0, SIDE_START / max(picture.size))
    for scale in SCALES:
        size = [max(1, round(side * start * scale)) for side in picture.size]
        smaller = picture if tuple(size) == picture.size else picture.resize(size, Image.LANCZOS)
        for encode in (_few_colours, _jpeg):
            result = encode(Image, smaller)
            if len(result[1]) <= limit:
                return result
    return None


def _few_colours(Image, picture):
    stream = io.BytesIO()
    picture.quantize(256, method=_FAST_OCTREE, dither=_NO_DITHER).save(stream, 'PNG', optimize=True)
    return 'image/png', stream.getvalue()


def _jpeg(Image, picture):
    if picture.mode == 'RGBA':
        paper = Image.new('RGB', picture.size, 'white')
        paper.paste(picture, mask=picture.getchannel('A'))
        picture = paper
    stream = io.BytesIO()
    picture.save(stream, 'JPEG', quality=JPEG_QUALITY)
    return 'image/jpeg', stream.getvalue()
