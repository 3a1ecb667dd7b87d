import { doorCases } from './door.cases.ts';

doorCases('node');
