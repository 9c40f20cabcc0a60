import { main } from '../shop/main.ts';

await main(process.argv.slice(2));
