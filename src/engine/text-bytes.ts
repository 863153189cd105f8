/** Nobody writes more levels but to do harm. */
const DEPTH_MAX = 200;

/** How much a JSON value is, as bytes of its texts; numbers and the like count as they are written. */
export function textBytes(value: unknown, depth = 0): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value === undefined || value === null || depth > DEPTH_MAX) return 0;
  if (typeof value !== 'object') return String(value).length;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + textBytes(item, depth + 1), 0);
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + textBytes(item, depth + 1), 0);
}
