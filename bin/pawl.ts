import '../lib/pawl/bin/pawl.ts';
