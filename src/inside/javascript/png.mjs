/**
 * Makes a PNG smaller by averaging pixels, with nothing but zlib.
 *
 * Reads 8 bits a channel, not interlaced: gray, gray + alpha, RGB, RGBA, palette. That is what plotting libraries and
 * canvases write. Anything else is left to the caller.
 */
import { lazy } from './node.mjs';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** By colour type. */
const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const PALETTE = 3;
/** Decoded pixels beyond this would take more memory than a session may have left. */
const PIXELS_MAX = 25_000_000;

/**
 * @param {Uint8Array} bytes
 * @param {number} bytesMax
 * @returns {Uint8Array | undefined} a PNG of at most `bytesMax`, or undefined when it cannot be made
 */
export function shrinkPng(bytes, bytesMax) {
  const image = decodePng(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  if (image === undefined) return undefined;
  let factor = Math.sqrt(bytesMax / bytes.length);
  for (let attempt = 0; attempt < 12; attempt++) {
    const width = Math.max(1, Math.floor(image.width * Math.min(1, factor)));
    const height = Math.max(1, Math.floor(image.height * Math.min(1, factor)));
    const encoded = encodePng(scale(image, width, height));
    if (encoded.length <= bytesMax) return encoded;
    factor *= Math.min(0.9, Math.sqrt(bytesMax / encoded.length));
  }
  return undefined;
}

/** @returns {{ width: number, height: number, channels: number, pixels: Uint8Array } | undefined} */
function decodePng(bytes) {
  const chunks = readChunks(bytes);
  const header = chunks?.find(({ type }) => type === 'IHDR')?.data;
  if (header?.length !== 13) return undefined;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, colour, , , interlace] = header.subarray(8);
  const channels = CHANNELS[colour];
  if (depth !== 8 || interlace !== 0 || channels === undefined) return undefined;
  if (width * height === 0 || width * height > PIXELS_MAX) return undefined;

  const rows = inflateRows(chunks, (width * channels + 1) * height);
  if (rows === undefined) return undefined;
  const pixels = unfilter(rows, width * channels, height, channels);
  return colour === PALETTE ? applyPalette({ width, height, pixels }, chunks) : { width, height, channels, pixels };
}

function readChunks(bytes) {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) return undefined;
  const chunks = [];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    chunks.push({ type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function inflateRows(chunks, length) {
  const data = chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data);
  try {
    const rows = lazy.zlib().inflateSync(Buffer.concat(data), { maxOutputLength: length });
    return rows.length === length ? rows : undefined;
  } catch {
    return undefined; // broken data, or more of it than the header says
  }
}

/** Undoes the prediction of each byte from those to the left, above, and above left. */
function unfilter(rows, stride, height, channels) {
  const pixels = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)];
    const from = y * (stride + 1) + 1;
    const to = y * stride;
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? pixels[to + x - channels] : 0;
      const up = y > 0 ? pixels[to + x - stride] : 0;
      const corner = x >= channels && y > 0 ? pixels[to + x - stride - channels] : 0;
      pixels[to + x] = rows[from + x] + predict(filter, left, up, corner);
    }
  }
  return pixels;
}

function predict(filter, left, up, corner) {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4:
      return paeth(left, up, corner);
    default:
      return 0;
  }
}

function paeth(left, up, corner) {
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function applyPalette({ width, height, pixels }, chunks) {
  const colours = chunks.find(({ type }) => type === 'PLTE')?.data;
  if (colours === undefined) return undefined;
  const alphas = chunks.find(({ type }) => type === 'tRNS')?.data;
  const channels = alphas ? 4 : 3;
  const out = new Uint8Array(width * height * channels);
  for (let index = 0; index < pixels.length; index++) {
    const entry = pixels[index];
    for (let channel = 0; channel < 3; channel++) out[index * channels + channel] = colours[entry * 3 + channel] ?? 0;
    if (alphas) out[index * channels + 3] = alphas[entry] ?? 255;
  }
  return { width, height, channels, pixels: out };
}

/** Each new pixel is the average of the old ones that fall into it. */
function scale(image, width, height) {
  if (width === image.width && height === image.height) return image;
  const { channels, pixels } = image;
  const out = new Uint8Array(width * height * channels);
  for (let y = 0; y < height; y++) {
    const top = Math.floor((y * image.height) / height);
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * image.height) / height));
    for (let x = 0; x < width; x++) {
      const left = Math.floor((x * image.width) / width);
      const right = Math.max(left + 1, Math.floor(((x + 1) * image.width) / width));
      const count = (bottom - top) * (right - left);
      for (let channel = 0; channel < channels; channel++) {
        let sum = 0;
        for (let row = top; row < bottom; row++) {
          for (let column = left; column < right; column++) {
            sum += pixels[(row * image.width + column) * channels + channel];
          }
        }
        out[(y * width + x) * channels + channel] = sum / count + 0.5;
      }
    }
  }
  return { width, height, channels, pixels: out };
}

/** Every row is written as the difference to the row above, which suits both photographs and flat areas. */
function encodePng({ width, height, channels, pixels }) {
  const stride = width * channels;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    rows[y * (stride + 1)] = 2;
    for (let x = 0; x < stride; x++) {
      const up = y > 0 ? pixels[(y - 1) * stride + x] : 0;
      rows[y * (stride + 1) + 1 + x] = pixels[y * stride + x] - up;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, { 1: 0, 2: 4, 3: 2, 4: 6 }[channels], 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', lazy.zlib().deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(lazy.zlib().crc32(body), body.length + 4);
  return framed;
}
