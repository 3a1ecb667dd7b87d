import { doorCases } from './door.cases.ts';

doorCases('uws');
