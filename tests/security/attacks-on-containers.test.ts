import { availableEngines } from '../support/walls.ts';
import { describeAttacks } from './attack-suite.ts';

for (const engine of await availableEngines()) describeAttacks(engine);
