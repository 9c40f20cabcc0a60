import { pawl } from '../contenders/pawl.ts';
import { worldOfEnvironment } from './world.ts';

export const prepare = pawl(worldOfEnvironment());
