/** Sass tells the place of an error after a drawing of it. */
export const SASS_PLACE = String.raw`^Error: (?<message>[^\n]+)\n[^]*?^ +(?<file>\S+) (?<line>\d+):(?<column>\d+)`;
