import { JVM_FLAGS } from '../jvm.ts';
import type { CommandLanguage } from '../language.ts';

const CLASS_PATH = '/usr/share/java/clojure.jar:/usr/share/java/core.specs.alpha.jar:/usr/share/java/spec.alpha.jar';

/** Reads every form and evaluates none. */
const READ_ALL =
  '(let [in (clojure.lang.LineNumberingPushbackReader. (clojure.java.io/reader "{entry}"))] (try (while (not= ::end (read {:eof ::end :read-cond :allow} in))) (catch Exception e (binding [*out* *err*] (println (str "{entry}:" (.getLineNumber in) ": " (.getMessage e)))) (System/exit 1))))';

export const clojure: CommandLanguage = {
  id: 'clojure',
  name: 'Clojure',
  aliases: ['clj', 'cljc', 'lein', 'leiningen'],
  extensions: ['.clj', '.cljc'],
  shebangs: ['clojure', 'clj', 'bb'],
  interpreter: 'command',
  entry: { file: 'main.clj' },
  runtimes: [
    {
      tools: ['java'],
      files: ['/usr/share/java/clojure.jar', '/usr/share/java/core.specs.alpha.jar', '/usr/share/java/spec.alpha.jar'],
      version: { ask: ['-cp', CLASS_PATH, 'clojure.main', '-e', '(clojure-version)'] },
      run: [
        '{tool}',
        ...JVM_FLAGS,
        '-XX:TieredStopAtLevel=1',
        '-cp',
        `${CLASS_PATH}:{workspace}`,
        'clojure.main',
        '{entry}',
        '{args}',
      ],
      check: [['{tool}', ...JVM_FLAGS, '-XX:TieredStopAtLevel=1', '-cp', CLASS_PATH, 'clojure.main', '-e', READ_ALL]],
    },
    {
      tools: ['clojure'],
      version: { ask: ['--version'] },
      run: ['{tool}', '-M', '{entry}', '{args}'],
      check: [['{tool}', '-M', '-e', READ_ALL]],
    },
    { tools: ['bb'], version: { ask: ['--version'] }, run: ['{tool}', '{entry}', '{args}'] },
  ],
  install: {
    apt: 'clojure',
    brew: 'clojure',
    dnf: 'clojure',
    other: 'Install Clojure from clojure.org/guides/install_clojure',
  },
  similar: ['lisp', 'scheme', 'racket', 'java'],
};
