import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import zlib from 'node:zlib';
import { fitImages, recogniseImage } from './images.mjs';
import { shrinkPng } from './png.mjs';

const JPEG = (length) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(length - 3)]);

/** An image whose rows use every filter; `pixel(x, y)` gives the channels. */
function png(width, height, colour, pixel, extra = []) {
  const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colour];
  const raw = Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => pixel(x, y)).flat());
  const at = (x, y) => (x < 0 || y < 0 ? 0 : raw[y][x]);
  const rows = raw.map((row, y) => {
    const filter = y % 5;
    const bytes = row.map((value, x) => {
      const [left, up, corner] = [at(x - channels, y), at(x, y - 1), x < channels ? 0 : at(x - channels, y - 1)];
      const paeth = [left, up, corner].reduce((best, candidate) =>
        Math.abs(left + up - corner - candidate) < Math.abs(left + up - corner - best) ? candidate : best,
      );
      return (value - [0, left, up, (left + up) >> 1, paeth][filter]) & 255;
    });
    return [filter, ...bytes];
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colour, 0, 0, 0], 8);
  const parts = [
    ['IHDR', header],
    ...extra,
    ['IDAT', zlib.deflateSync(Buffer.from(rows.flat()))],
    ['IEND', Buffer.alloc(0)],
  ];
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...parts.map(([type, data]) => {
      const body = Buffer.concat([Buffer.from(type), data]);
      const framed = Buffer.alloc(body.length + 8);
      framed.writeUInt32BE(data.length);
      framed.set(body, 4);
      framed.writeUInt32BE(zlib.crc32(body), body.length + 4);
      return framed;
    }),
  ]);
}

/** Reads back what `shrinkPng` wrote: rows as differences to the row above. */
function pixelsOf(bytes, channels) {
  const buffer = Buffer.from(bytes);
  const [width, height] = [buffer.readUInt32BE(16), buffer.readUInt32BE(20)];
  const length = buffer.readUInt32BE(33);
  const rows = zlib.inflateSync(buffer.subarray(41, 41 + length));
  const stride = width * channels;
  const pixels = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < stride; x++) {
      pixels.push(((y > 0 ? pixels[(y - 1) * stride + x] : 0) + rows[y * (stride + 1) + 1 + x]) & 255);
    }
  }
  return { width, height, pixels };
}

describe('recogniseImage()', () => {
  const table = [
    ['a PNG', png(1, 1, 0, () => [0]), 'image/png'],
    ['a JPEG', JPEG(10), 'image/jpeg'],
    ['a GIF', Buffer.from('GIF89a…'), 'image/gif'],
    ['a WebP', Buffer.from('RIFF\0\0\0\0WEBPVP8 '), 'image/webp'],
    ['an ArrayBuffer', new Uint8Array(JPEG(10)).buffer, 'image/jpeg'],
    ['a data URL', `data:image/jpeg;base64,${JPEG(10).toString('base64')}`, 'image/jpeg'],
    ['a RIFF that is no picture', Buffer.from('RIFF\0\0\0\0WAVEfmt '), undefined],
    ['bytes', Buffer.from('hello'), undefined],
    ['no bytes', Buffer.alloc(0), undefined],
    ['text', 'hello', undefined],
    ['null', null, undefined],
  ];
  for (const [what, value, mime] of table) {
    it(`sees ${mime ?? 'no picture'} in ${what}`, () => {
      assert.equal(recogniseImage(value)?.mime, mime);
    });
  }
});

describe('shrinkPng()', () => {
  let seed = 1;
  const next = () => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return seed >> 16;
  };
  const palette = [['PLTE', Buffer.from(Array.from({ length: 768 }, (_, index) => index & 255))]];
  const table = [
    ['gray', 0, 1, () => [next() & 255], []],
    ['gray and alpha', 4, 2, () => [next() & 255, 255], []],
    ['RGB', 2, 3, () => [next() & 255, next() & 255, next() & 255], []],
    ['RGBA', 6, 4, () => [next() & 255, next() & 255, next() & 255, next() & 255], []],
    ['palette', 3, 3, () => [next() & 255], palette],
  ];
  for (const [what, colour, channels, pixel, extra] of table) {
    it(`makes ${what} fit`, () => {
      const image = png(64, 48, colour, pixel, extra);
      const bytesMax = Math.floor(image.length / 3);
      const small = shrinkPng(image, bytesMax);
      assert.ok(small.length <= bytesMax);
      const { width, height } = pixelsOf(small, channels);
      assert.ok(width < 64 && width > 8 && Math.abs(width / height - 64 / 48) < 0.1, `${width} × ${height}`);
    });
  }

  it('averages pixels, whatever filter the rows have', () => {
    // Squares of 2 × 2 with one value each survive a scaling to the half.
    const image = png(10, 10, 0, (x, y) => [((x >> 1) * 40 + (y >> 1) * 7) & 255]);
    const padded = Buffer.concat([image, Buffer.alloc(300)]);
    const small = shrinkPng(padded, Math.ceil(padded.length / 4) + 1);
    const { width, height, pixels } = pixelsOf(small, 1);
    assert.deepEqual([width, height], [5, 5]);
    const expected = Array.from({ length: 25 }, (_, index) => ((index % 5) * 40 + Math.floor(index / 5) * 7) & 255);
    assert.deepEqual(pixels, expected);
  });

  it('leaves alone what it cannot read', () => {
    const image = png(8, 8, 2, () => [1, 2, 3]);
    const interlaced = Buffer.from(image);
    interlaced[28] = 1;
    for (const bytes of [interlaced, image.subarray(0, 50), JPEG(100), Buffer.alloc(0)]) {
      assert.equal(shrinkPng(bytes, 10), undefined);
    }
  });
});

describe('fitImages()', () => {
  function fitAll(images) {
    const files = [];
    const { fitting, notes } = fitImages(images.map(recogniseImage), {
      shrinkPng: (_bytes, bytesMax) => new Uint8Array(bytesMax),
      save: (extension, bytes) => `image-${files.push([extension, bytes.length])}.${extension}`,
    });
    return { sizes: fitting.map(({ bytes }) => bytes.length), notes, files };
  }
  const bigPng = Buffer.concat([png(1, 1, 0, () => [0]), Buffer.alloc(2_000_000)]);

  it('passes on what fits', () => {
    assert.deepEqual(fitAll([JPEG(300_000), JPEG(449_000)]), { sizes: [300_000, 449_000], notes: [], files: [] });
  });

  it('gives large ones what the small ones leave', () => {
    assert.deepEqual(fitAll([JPEG(50_000), bigPng, bigPng]), {
      sizes: [50_000, 350_000, 350_000],
      notes: [],
      files: [],
    });
  });

  it('saves what cannot be made smaller', () => {
    assert.deepEqual(fitAll([JPEG(800_000), JPEG(100)]), {
      sizes: [100],
      notes: ['image too large to show: saved as image-1.jpg'],
      files: [['jpg', 800_000]],
    });
  });

  it('shows twenty', () => {
    const { sizes, notes } = fitAll(Array.from({ length: 21 }, () => JPEG(100)));
    assert.equal(sizes.length, 20);
    assert.deepEqual(notes, ['more images than can be shown: saved as image-1.jpg']);
  });
});
