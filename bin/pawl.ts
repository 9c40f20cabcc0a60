import '../lib/cli.ts';
