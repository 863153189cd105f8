/** Whether packages that programs declare may be installed, and from where. */
export const ECOSYSTEMS = ['pypi', 'npm'] as const;
export type Ecosystem = (typeof ECOSYSTEMS)[number];

export const PACKAGE_MODES = ['off', 'ask', 'allow'] as const;

export interface PackagePolicy {
  /** `ask`: a person decides each time, and where nobody can be asked nothing is installed. */
  readonly mode: (typeof PACKAGE_MODES)[number];
  /** Those that may be used; an address replaces the one that the tool itself is set to. */
  readonly registries: Readonly<Partial<Record<Ecosystem, { readonly address: string | undefined }>>>;
}
