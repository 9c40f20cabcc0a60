import { render } from 'preact';
import { App } from './app.tsx';
import { showVisibleText } from './visible-text.ts';

showVisibleText();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
