import { availableWalls } from '../support/walls.ts';
import { describeAttacks, describeControls, describeFiles } from './attack-suite.ts';

const walls = await availableWalls();
for (const wall of walls) describeAttacks(wall);
for (const wall of walls.slice(0, 1)) describeControls(wall);
describeFiles();
