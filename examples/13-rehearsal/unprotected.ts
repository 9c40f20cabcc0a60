import rehearsed from './rehearsal.ts';

/* The same rehearsal of the same app, without pawl in its function. */
export default { ...rehearsed, options: { ...rehearsed.options, context: { protected: 'no' } } };
