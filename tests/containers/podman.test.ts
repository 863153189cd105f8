import { describeWall } from '../conformance/wall.suite.ts';
import { availableEngines } from '../support/walls.ts';
import { describeGuarantees } from './guarantees.ts';
import { describeBehaviours } from './wall-behaviours.ts';

if ((await availableEngines()).includes('podman')) {
  describeWall('podman');
  describeBehaviours('podman', 0);
  describeGuarantees('podman');
}
