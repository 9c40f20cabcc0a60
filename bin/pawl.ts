import '../lib/cli/main.ts';
