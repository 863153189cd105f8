/** The runtime of Erlang and Elixir: two schedulers without busy waiting, and UTF-8 for standard streams. */
export const ERLANG_ENVIRONMENT = {
  ERL_FLAGS: '+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none',
  ELIXIR_ERL_OPTIONS: '+fnu',
} as const;
