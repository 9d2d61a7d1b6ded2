import type { Contact, Location, Message, Venue } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { defined } from '../../world/defined.ts';
import type { Call, MethodTable } from '../call.ts';
import { send } from '../send.ts';

export function readLocation(call: Call): Location {
  const { params } = call;
  const latitude = params.decimal('latitude');
  const longitude = params.decimal('longitude');
  if (latitude === undefined) throw badRequest('latitude is empty');
  if (longitude === undefined) throw badRequest('longitude is empty');
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
    throw badRequest('wrong location specified');
  const optional = (name: string): number | undefined => params.integer(name) || undefined;
  return defined<Location>({
    latitude,
    longitude,
    horizontal_accuracy: params.decimal('horizontal_accuracy') || undefined,
    live_period: optional('live_period'),
    heading: optional('heading'),
    proximity_alert_radius: optional('proximity_alert_radius'),
  });
}

function sendLocation(call: Call): Message {
  return send(call, 'can_send_messages', () => {
    const location = readLocation(call);
    const period = location.live_period;
    if (period !== undefined && (period < 60 || (period > 86_400 && period !== 0x7fffffff))) {
      throw badRequest('wrong live location period specified');
    }
    if (period !== undefined && call.params.has('ephemeral_message_parameters')) {
      throw badRequest('wrong live location period specified');
    }
    return { location };
  });
}

function sendVenue(call: Call): Message {
  return send(call, 'can_send_messages', () => {
    const { params } = call;
    const { latitude, longitude } = readLocation(call);
    const title = params.text('title');
    const address = params.text('address');
    if (title === '') throw badRequest('venue title must be non-empty');
    if (address === '') throw badRequest('venue address must be non-empty');
    const location = { latitude, longitude };
    const venue = defined<Venue>({
      location,
      title,
      address,
      foursquare_id: params.text('foursquare_id') || undefined,
      foursquare_type: params.text('foursquare_type') || undefined,
      google_place_id: params.text('google_place_id') || undefined,
      google_place_type: params.text('google_place_type') || undefined,
    });
    return { venue, location };
  });
}

function sendContact(call: Call): Message {
  return send(call, 'can_send_messages', () => {
    const { params } = call;
    const phone = params.required('phone_number');
    const firstName = params.required('first_name');
    const contact = defined<Contact>({
      phone_number: phone,
      first_name: firstName,
      last_name: params.text('last_name') || undefined,
      user_id: undefined,
      vcard: params.text('vcard') || undefined,
    });
    return { contact };
  });
}

const dice = new Map(Object.entries({ '🎲': 6, '🎯': 6, '🎳': 6, '🏀': 5, '⚽': 5, '🎰': 64 }));

function sendDice(call: Call): Message {
  return send(call, 'can_send_other_messages', () => {
    const emoji = call.params.text('emoji') || '🎲';
    const sides = dice.get(emoji.replace('\uFE0F', ''));
    if (sides === undefined) throw badRequest('wrong dice emoji specified');
    return { dice: { emoji, value: call.world.random.integer(1, sides) } };
  });
}

export const otherContentMethods: MethodTable = {
  sendlocation: sendLocation,
  sendvenue: sendVenue,
  sendcontact: sendContact,
  senddice: sendDice,
};
