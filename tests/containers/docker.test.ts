import { describeWall } from '../conformance/wall.suite.ts';
import { availableEngines } from '../support/walls.ts';
import { describeGuarantees } from './guarantees.ts';
import { describeBehaviours } from './wall-behaviours.ts';

if ((await availableEngines()).includes('docker')) {
  describeWall('docker');
  describeBehaviours('docker', 4);
  describeGuarantees('docker');
}
