import { powertools } from '../contenders/powertools.ts';
import { worldOfEnvironment } from './world.ts';

export const prepare = powertools(worldOfEnvironment());
