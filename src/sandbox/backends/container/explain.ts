/** What an engine complains of, as a sentence and the exact way to change it. Pure: words in, words out. */
import type { EngineName } from './engine.ts';

export interface Explanation {
  readonly problem: string;
  readonly fix: string;
}

const INSTALL: Readonly<Record<EngineName, string>> = {
  podman: 'Install Podman (apt install podman, dnf install podman, brew install podman), or use another --sandbox',
  docker: 'Install Docker (https://docs.docker.com/engine/install/), or use another --sandbox',
};

export function explainMissingEngine(engine: EngineName): Explanation {
  return { problem: `${engine} is not installed`, fix: INSTALL[engine] };
}

type Reason = readonly [when: RegExp, problem: string, fix: string];

const REASONS: Readonly<Record<EngineName, readonly Reason[]>> = {
  podman: [
    [
      /no podman machine|podman machine init|machine.*does not exist/i,
      'There is no Podman machine',
      'podman machine init --now',
    ],
    [
      /cannot connect to podman|unable to connect to podman|podman machine start/i,
      'The Podman service does not answer',
      'podman machine start (macOS, Windows), or systemctl --user start podman.socket (Linux)',
    ],
    [
      /no subuid ranges|cannot find (?:UID|GID|mappings)|newuidmap|newgidmap|insufficient UIDs/i,
      'This user has no ranges of subordinate users, which rootless Podman needs',
      'sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "$USER" && podman system migrate (and the package uidmap)',
    ],
  ],
  docker: [
    [
      /permission denied.*docker\.sock|docker\.sock.*permission denied/is,
      'This user may not talk to the Docker daemon',
      'Use --sandbox podman, which needs no daemon; or let the user into the group "docker", which is as good as root',
    ],
    [
      /cannot connect to the docker daemon|is the docker daemon running|docker\.sock: connect|error during connect/i,
      'The Docker daemon does not answer',
      'sudo systemctl start docker (or: systemctl --user start docker, open Docker Desktop)',
    ],
  ],
};

function sharedReasons(engine: EngineName): Reason[] {
  return [
    [
      /no space left on device|disk quota exceeded/i,
      'The disk is full: the engine cannot write',
      `Free some space (${engine} system df shows what images and containers take), then try again`,
    ],
    [
      /dial tcp|no such host|i\/o timeout|connection refused|TLS handshake|network is unreachable|Client\.Timeout|name resolution|lookup .* on/i,
      'The image is not on this machine, and its registry cannot be reached',
      `Connect to the network and try again; or load an image (${engine} load, ${engine} build) and name it with --image`,
    ],
    [
      /manifest unknown|pull access denied|repository does not exist|not found in registry|unauthorized|requested access to the resource is denied|short-name/i,
      'The registry does not have this image, or not for this user',
      `Look at the name after --image; log in with ${engine} login where the image is private`,
    ],
    [
      /no such image|image not known|unable to find image|failed to find image/i,
      'The image is not on this machine',
      `${engine} pull IMAGE, or name another one with --image`,
    ],
  ];
}

/** `complaint` is what the engine said on stderr. */
export function explainEngine(engine: EngineName, complaint: string): Explanation {
  const found = [...REASONS[engine], ...sharedReasons(engine)].find(([when]) => when.test(complaint));
  const said = lastWords(complaint);
  if (found) return { problem: said === '' ? found[1] : `${found[1]} (${said})`, fix: found[2] };
  return {
    problem: said || 'it failed without a word',
    fix: `Try "${engine} info"; sallyport doctor shows what works here`,
  };
}

const WORDS_MAX = 300;

function lastWords(complaint: string): string {
  const lines = complaint.split('\n').map((line) => line.trim());
  const telling = lines.filter((line) => line !== '' && !/^(?:See '|Run '|time=.*level=)/.test(line));
  return (telling.pop() ?? '').replace(/^(?:Error|docker): /, '').slice(0, WORDS_MAX);
}
