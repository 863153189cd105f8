/** What run_code is measured against: a hello-world server of the same SDK over the same transport. */
import { setTimeout as sleep } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'echo', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.registerTool(
    'echo',
    { description: 'Gives back its text', inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({
      content: [{ type: 'text', text }],
    }),
  );
  server.registerTool(
    'wait',
    { description: 'Answers after a while', inputSchema: z.object({ ms: z.number() }) },
    async ({ ms }) => {
      await sleep(ms);
      return { content: [{ type: 'text', text: `${ms}` }] };
    },
  );
  return server;
});
