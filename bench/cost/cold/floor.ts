import { floor } from '../contenders/floor.ts';
import { worldOfEnvironment } from './world.ts';

export const prepare = floor(worldOfEnvironment());
