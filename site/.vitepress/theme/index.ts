import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { CostCalculator } from './calculator.ts';
import './style.css';

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component('CostCalculator', CostCalculator);
  },
};

export default theme;
