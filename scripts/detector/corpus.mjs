/** Reads unpacked packages (one folder each) as samples `{ language, source, text }` of a size that people send. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

const BY_ENDING = {
  py: 'python',
  js: 'javascript',
  mjs: 'javascript',
  ts: 'typescript',
  sh: 'bash',
  bash: 'bash',
  bats: undefined,
  java: 'java',
  c: 'c',
  cpp: 'cpp',
  cc: 'cpp',
  cxx: 'cpp',
  hpp: 'cpp',
  cs: 'csharp',
  go: 'go',
  rs: 'rust',
  rb: 'ruby',
  php: 'php',
  kt: 'kotlin',
  swift: 'swift',
  R: 'r',
  r: 'r',
  pm: 'perl',
  t: 'perl',
  raku: 'raku',
  rakumod: 'raku',
  pm6: 'raku',
  p6: 'raku',
  lua: 'lua',
  groovy: 'groovy',
  ps1: 'powershell',
  psm1: 'powershell',
  fsx: 'fsharp',
  coffee: 'coffeescript',
  scala: 'scala',
  jl: 'julia',
  cr: 'crystal',
  ml: 'ocaml',
  ex: 'elixir',
  exs: 'elixir',
  clj: 'clojure',
  cljs: 'clojure',
  cljc: 'clojure',
  rkt: 'racket',
  scm: 'scheme',
  ss: 'scheme',
  dart: 'dart',
  hs: 'haskell',
  nim: 'nim',
  lisp: 'lisp',
  zig: 'zig',
  d: 'd',
  f90: 'fortran',
  f: 'fortran',
  F: 'fortran',
  pas: 'pascal',
  pp: 'pascal',
  adb: 'ada',
  ads: 'ada',
  cob: 'cobol',
  cbl: 'cobol',
  erl: 'erlang',
  tcl: 'tcl',
  awk: 'awk',
  sql: 'sql',
  asm: 'assembly',
  st: 'smalltalk',
  sv: 'verilog',
  fish: 'fish',
  sass: 'sass',
  scss: 'scss',
  bat: 'bat',
  cmd: 'bat',
  vbs: 'vbscript',
  ahk: 'autohotkey',
  au3: 'autoit',
  applescript: 'applescript',
  zsh: 'zsh',
};

/** Folders of Pygments' examples and files of Chroma's, by the names they have there. */
const BY_NAME = {
  ada: 'ada',
  ahk: 'autohotkey',
  applescript: 'applescript',
  autoit: 'autoit',
  awk: 'awk',
  bash: 'bash',
  bat: 'bat',
  c: 'c',
  clojure: 'clojure',
  cobol: 'cobol',
  'coffee-script': 'coffeescript',
  'common-lisp': 'lisp',
  cpp: 'cpp',
  cr: 'crystal',
  csharp: 'csharp',
  d: 'd',
  dart: 'dart',
  delphi: 'pascal',
  elixir: 'elixir',
  erlang: 'erlang',
  fish: 'fish',
  forth: 'forth',
  fortran: 'fortran',
  fortranfixed: 'fortran',
  fsharp: 'fsharp',
  go: 'go',
  groovy: 'groovy',
  gst: 'smalltalk',
  haskell: 'haskell',
  java: 'java',
  js: 'javascript',
  julia: 'julia',
  kotlin: 'kotlin',
  lua: 'lua',
  matlab: 'octave',
  nasm: 'assembly',
  nim: 'nim',
  ocaml: 'ocaml',
  perl: 'perl',
  perl6: 'raku',
  php: 'php',
  powershell: 'powershell',
  prolog: 'prolog',
  python: 'python',
  racket: 'racket',
  rb: 'ruby',
  ruby: 'ruby',
  rust: 'rust',
  sass: 'sass',
  scala: 'scala',
  scheme: 'scheme',
  scss: 'scss',
  smalltalk: 'smalltalk',
  splus: 'r',
  r: 'r',
  sqlite3: 'sql',
  postgresql: 'sql',
  sql: 'sql',
  swift: 'swift',
  tcl: 'tcl',
  ts: 'typescript',
  typescript: 'typescript',
  v: 'v',
  vbscript: 'vbscript',
  verilog: 'verilog',
  systemverilog: 'verilog',
  zig: 'zig',
  raku: 'raku',
  vlang: 'v',
  zsh: 'zsh',
  autohotkey: 'autohotkey',
  batch: 'bat',
  batchfile: 'bat',
  coffeescript: 'coffeescript',
  commonlisp: 'lisp',
  crystal: 'crystal',
  objectpascal: 'pascal',
  fsharp2: 'fsharp',
  javascript: 'javascript',
  octave: 'octave',
  psl: undefined,
};

/** What an ending means only in some packages, and what is left out because it is not by hand. */
function languageOf(source, path) {
  const name = path.split(sep).pop() ?? '';
  if (source === 'pygments') return BY_NAME[path.split(sep)[1]];
  if (source === 'chroma')
    return /\.actual$/.test(name)
      ? (BY_NAME[path.split(sep)[1]] ?? BY_NAME[name.split('.')[0].toLowerCase()])
      : undefined;
  if (/(?:^|[\\/])(?:dist|build|min|umd|esm\w*|cjs|bundles?|_?esm5|node_modules|locales?|generated)[\\/]/.test(path))
    return undefined;
  if (/\.min\.|\.d\.[mc]?ts$|\.bundle\./.test(name)) return undefined;
  const ending = /\.([A-Za-z0-9]+)$/.exec(name)?.[1];
  if (ending === undefined) return undefined;
  if (ending === 'pl') return source.startsWith('swi-prolog') ? 'prolog' : 'perl';
  if (ending === 'fs') return source.startsWith('gforth') ? 'forth' : source === 'scc' ? undefined : 'fsharp';
  if (ending === 'm') return source.startsWith('octave') ? 'octave' : undefined;
  if (ending === 'v') return source.startsWith('iverilog') ? 'verilog' : undefined;
  if (ending === 't' && !/perl/.test(source)) return undefined;
  if (ending === 'd' && !/phobos|gtkd|mir|stdx|dub|vibe|tilix/.test(source)) return undefined;
  if (ending === 'test' || ending === 'asm') return source.startsWith('nasm') ? 'assembly' : undefined;
  if (ending === 'c' && /racket|ocaml|nim|fpc|ghc/.test(source)) return undefined;
  if (ending === 'js' && /^(?:crate|fpc|nim)/.test(source)) return undefined;
  if (ending === 'scm' && /^(?:crate|gts|npm)/.test(source)) return undefined;
  if (ending === 'ss' && /racket/.test(source)) return 'scheme';
  if (/zsh/.test(source)) return 'zsh';
  return BY_ENDING[ending];
}

export function readCorpus(folder, { perLanguage, random }) {
  const files = new Map();
  for (const source of readdirSync(folder)) {
    const root = join(folder, source);
    for (const path of readdirSync(root, { recursive: true })) {
      const language = /zsh/.test(source) && /functions/.test(path) ? 'zsh' : languageOf(source, path);
      if (language === undefined) continue;
      const bySource = files.get(language) ?? new Map();
      files.set(language, bySource);
      const family = source.replace(/^npm-|^crate-/, '').replace(/[-_]\d.*$/, '');
      const paths = bySource.get(family) ?? [];
      bySource.set(family, paths);
      paths.push(join(root, path));
    }
  }
  const samples = [];
  for (const [language, bySource] of files) samples.push(...sampleLanguage(language, bySource, perLanguage, random));
  return samples;
}

/** Sources take turns, so that a large package does not outvote the others. */
function sampleLanguage(language, bySource, wanted, random) {
  const texts = [...bySource]
    .map(([source, paths]) => ({ source, texts: readTexts(paths, random) }))
    .filter(({ texts }) => texts.length > 0);
  const samples = [];
  const capPerText = 12;
  const total = texts.reduce(
    (sum, { texts: all }) => sum + all.reduce((n, text) => n + Math.min(capPerText, 1 + text.length / 800), 0),
    0,
  );
  const goal = Math.min(wanted, Math.floor(total));
  const taken = new Map();
  const limitOf = ({ texts: all }) => all.reduce((n, text) => n + Math.min(capPerText, 1 + text.length / 800), 0);
  for (let turn = 0; samples.length < goal && turn < goal * 20; turn++) {
    const source = texts[turn % texts.length];
    const count = taken.get(source) ?? 0;
    if (count >= limitOf(source)) continue;
    taken.set(source, count + 1);
    const text = cut(source.texts[count % source.texts.length], random);
    if (text !== undefined) samples.push({ language, source: source.source, text });
  }
  return samples;
}

function readTexts(paths, random) {
  const shuffled = [...paths].sort((a, b) => (a < b ? -1 : 1));
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
  }
  const texts = [];
  for (const path of shuffled) {
    if (texts.length >= 250) break;
    try {
      if (!statSync(path).isFile() || statSync(path).size > 400_000) continue;
      const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
      const longest = Math.max(...text.split('\n').map((line) => line.length));
      if (text.length < 60 || longest > 600 || text.includes('\0')) continue;
      texts.push(text);
    } catch {}
  }
  return texts;
}

/** A whole small file, or some lines that begin where something begins; never mostly remarks. */
function cut(text, random) {
  const lines = text.split('\n');
  for (let attempt = 0; attempt < 6; attempt++) {
    const length = Math.floor(4 + 60 * random() ** 1.5);
    let part = lines;
    if (lines.length > length * 1.5) {
      const starts = lines.flatMap((line, at) =>
        /^\S/.test(line) && !/^[\])}]|^end\b/.test(line) && (at === 0 || lines[at - 1]?.trim() === '') ? [at] : [],
      );
      const start = random() < 0.15 || starts.length === 0 ? 0 : starts[Math.floor(random() * starts.length)];
      part = lines.slice(start, start + length);
    }
    const remarks = part.filter((line) =>
      /^\s*(?:#(?!include|define|if|!|\[)|\/\/|\*|\/\*|--|;|%|\(\*|=\w+)/.test(line),
    ).length;
    const joined = part.join('\n').trimEnd();
    if (joined.length >= 50 && remarks < part.length * 0.5) return joined;
  }
  return undefined;
}
