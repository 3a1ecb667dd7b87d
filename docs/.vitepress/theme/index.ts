/** VitePress's own look, with the fonts of the machine: the site brings none. */
import './tables.css';

export { default } from 'vitepress/theme-without-fonts';
