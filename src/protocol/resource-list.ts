/** Which resources there are. */
import type { ListResourcesResult, ListResourceTemplatesResult } from '@modelcontextprotocol/server';

export const CAPABILITIES = 'sallyport://capabilities';
export const LANGUAGES = 'sallyport://languages';

export function listResources(): ListResourcesResult {
  return {
    resources: [
      {
        uri: CAPABILITIES,
        name: 'capabilities',
        description: 'Walls, languages and limits of this server',
        mimeType: 'application/json',
      },
      {
        uri: LANGUAGES,
        name: 'languages',
        description: 'Languages, their versions, and what is missing',
        mimeType: 'application/json',
      },
    ],
  };
}

export function listResourceTemplates(): ListResourceTemplatesResult {
  return {
    resourceTemplates: [
      {
        uriTemplate: 'sallyport://sessions/{name}/files/{+path}',
        name: 'session file',
        description: 'A file in the workspace of a session',
      },
      {
        uriTemplate: 'sallyport://runs/{id}/stdout',
        name: 'stdout of a run',
        description: 'All that a run printed, past what its answer showed',
      },
      {
        uriTemplate: 'sallyport://runs/{id}/stderr',
        name: 'stderr of a run',
        description: 'All that a run printed to stderr',
      },
    ],
  };
}
