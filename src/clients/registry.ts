/** All clients, in the order in which their servers count. */
import type { ClientDefinition } from './client.ts';
import { amazonQ } from './definitions/amazon-q.ts';
import { amp } from './definitions/amp.ts';
import { antigravity } from './definitions/antigravity.ts';
import { augment } from './definitions/augment.ts';
import { claudeCode } from './definitions/claude-code.ts';
import { claudeDesktop } from './definitions/claude-desktop.ts';
import { cline } from './definitions/cline.ts';
import { codex } from './definitions/codex.ts';
import { continueDev } from './definitions/continue.ts';
import { copilotCli } from './definitions/copilot-cli.ts';
import { crush } from './definitions/crush.ts';
import { cursor } from './definitions/cursor.ts';
import { devin } from './definitions/devin.ts';
import { factory } from './definitions/factory.ts';
import { gemini } from './definitions/gemini.ts';
import { goose } from './definitions/goose.ts';
import { grok } from './definitions/grok.ts';
import { inspector } from './definitions/inspector.ts';
import { jetbrains } from './definitions/jetbrains.ts';
import { junie } from './definitions/junie.ts';
import { kilo } from './definitions/kilo.ts';
import { kimi } from './definitions/kimi.ts';
import { kiro } from './definitions/kiro.ts';
import { lmStudio } from './definitions/lm-studio.ts';
import { mcporter } from './definitions/mcporter.ts';
import { opencode } from './definitions/opencode.ts';
import { qwen } from './definitions/qwen.ts';
import { roo } from './definitions/roo.ts';
import { rovoDev } from './definitions/rovo-dev.ts';
import { visualStudio } from './definitions/visual-studio.ts';
import { vscode } from './definitions/vscode.ts';
import { warp } from './definitions/warp.ts';
import { windsurf } from './definitions/windsurf.ts';
import { zed } from './definitions/zed.ts';

export const CLIENTS: readonly ClientDefinition[] = [
  claudeDesktop,
  claudeCode,
  cursor,
  vscode,
  windsurf,
  devin,
  cline,
  roo,
  kilo,
  zed,
  continueDev,
  codex,
  gemini,
  antigravity,
  opencode,
  goose,
  amazonQ,
  kiro,
  lmStudio,
  jetbrains,
  junie,
  warp,
  amp,
  factory,
  qwen,
  crush,
  grok,
  kimi,
  copilotCli,
  visualStudio,
  augment,
  rovoDev,
  mcporter,
  inspector,
];
