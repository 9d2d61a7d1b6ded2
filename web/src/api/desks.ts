import { queryOptions } from '@tanstack/react-query';
import type {
  DesksAddRequest,
  DesksResponseItem,
  DesksUpdateRequest,
} from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export type Desk = DesksResponseItem;
export type NewDesk = DesksAddRequest;

export const desksQuery = queryOptions({
  queryKey: ['desks'],
  meta: refreshOn(['bot']),
  queryFn: ({ signal }) => get('/api/desks', {}, signal),
});

export const addDesk = (body: NewDesk) => post('/api/desks/add', { body });
export const updateDesk = (body: DesksUpdateRequest) => post('/api/desks/update', { body });
export const deleteDesk = ({ id }: Desk) => post('/api/desks/delete', { query: { id } });
export const checkDesk = ({ id }: Desk) => post('/api/desks/check', { query: { id } });
