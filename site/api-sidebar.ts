import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages } from './paths.ts';

/** Where the reference of the names is, from the root of the pages. */
export const api = 'reference/api';

/** The entries, as `api.ts` leaves them beside the pages for the sidebar. */
export const sidebar = join(pages, api, 'sidebar.json');

export interface SidebarItem {
  readonly text: string;
  readonly link: string;
}

export function apiSidebar(): readonly SidebarItem[] {
  return JSON.parse(readFileSync(sidebar, 'utf8'));
}
