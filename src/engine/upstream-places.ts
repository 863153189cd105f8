/** Where the user's servers are looked for, and what a person said about that. */
import { homedir } from 'node:os';
import { type DiscoveryOptions, discoverServers, discoverySources } from '#gateway/discovery/discover';
import type { Discovery } from '#gateway/discovery/discovery';
import { InputAnswers } from '#gateway/discovery/input-answers';
import { TrustedProjects } from '#gateway/discovery/trusted-projects';
import { keepKnownNames, type NamesPlace, namesOf, namesPlaceOf } from './known-names.ts';

export interface UpstreamPlaces {
  readonly discovery: DiscoveryOptions;
  readonly projects: TrustedProjects;
  readonly answers: InputAnswers;
  readonly namesPlace: NamesPlace;
}

export interface PlaceSettings {
  readonly stateDir: string;
  readonly configFile: string;
  readonly project: string;
  readonly allowSelfServer: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const OS_NAMES: Readonly<Record<string, 'linux' | 'mac' | 'win'>> = { darwin: 'mac', win32: 'win' };

export function upstreamPlaces(settings: PlaceSettings, env: Environment): UpstreamPlaces {
  const projects = new TrustedProjects(settings.stateDir);
  const answers = new InputAnswers(settings.stateDir);
  const discovery: DiscoveryOptions = {
    place: { os: OS_NAMES[process.platform] ?? 'linux', home: homedir(), env },
    own: { file: settings.configFile },
    serversConfig: env.MCP_SERVERS_CONFIG,
    project: settings.project,
    isTrusted: (folder) => projects.has(folder),
    answer: (id, file) => answers.get(id, file),
    alsoWatch: [projects.file, answers.file],
    allowSelf: settings.allowSelfServer,
  };
  return { discovery, projects, answers, namesPlace: namesPlaceOf(settings, env) };
}

/** Looked for anew, without the rest of the application, and kept for the next start. */
export async function findServerNames(settings: PlaceSettings, env: Environment): Promise<readonly string[]> {
  const places = upstreamPlaces(settings, env);
  const found = await discoverServers(places.discovery);
  await keepNames(places, found).catch(() => {}); // the next start then looks again
  return namesOf(found.servers);
}

/** With everything that would change them. */
export async function keepNames({ discovery, namesPlace }: UpstreamPlaces, found: Discovery): Promise<void> {
  const sources = (await discoverySources(discovery)).map(({ pattern }) => pattern.base);
  await keepKnownNames(namesPlace, found, [...sources, ...(discovery.alsoWatch ?? [])]);
}
