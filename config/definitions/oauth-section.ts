/** `oauth` of `product.yaml`: the OpenID providers with which users may sign in. Source: docs/contract/identity-users.md §2. */
import * as z from 'zod';
import { limits } from '../limits.ts';
import * as kit from '../schema-kit.ts';
import { PRESET_NAMES } from './oauth-presets.ts';
import { isOperatorRole } from './roles-section.ts';

const { oauth } = limits;

const PROVIDER = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export const providerName = z
  .string()
  .regex(PROVIDER, 'use lower-case letters, digits, _ and -, at most 63 characters');

const role = z
  .string()
  .min(1)
  .refine((value) => !isOperatorRole(value))
  .meta({ description: 'a role that a product may confer', example: 'tenant_user' });

/** The code is appended as a query, so the address must have no query of its own, and no fragment (RFC 6749 §3.1.2). */
const redirectUri = z
  .string()
  .refine((value) => kit.isHttpUrl(value) && !/[?#]/.test(value))
  .meta({
    description: 'an http or https URL without query and fragment',
    example: 'https://app.example.org/signed-in',
  });

const scopes = z
  .array(z.string().regex(/^[!#-[\]-~]+$/))
  .meta({ description: 'a list of scopes', example: '[openid, email, profile]' });

const DIRECTORY = /^(?:common|organizations|consumers|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

const endpoints = kit.entry({
  authorization: kit.httpUrl('the URL at which users sign in').meta({ about: 'where a sign-in begins' }),
  token: kit.httpUrl('the URL that takes the code').meta({ about: 'where the code becomes a token' }),
  user: kit.httpUrl('the URL that says who the user is').meta({ about: 'where the user is asked for' }),
  emails: kit
    .httpUrl("the URL of the user's addresses")
    .optional()
    .meta({ about: 'where addresses are asked for, when the user does not say which is verified' }),
});

const provider = kit.entry({
  preset: kit
    .oneOf(PRESET_NAMES)
    .optional()
    .meta({ about: 'a provider that is known by name: it fills in what it can' }),
  issuer: kit.httpUrl('the URL of the issuer').optional().meta({ about: 'which OpenID provider it is' }),
  tenant: kit
    .pattern(DIRECTORY, 'common, organizations, consumers, or the id of a directory', 'common')
    .optional()
    .meta({ about: 'Microsoft: whose accounts may sign in' }),
  client_id: kit.text('the id that the provider gave the product', 'atlas').meta({ about: 'which client asks' }),
  client_secret: kit
    .secret('the secret that the provider gave the product')
    .optional()
    .meta({ about: 'shows the provider that it is this client' }),
  team_id: kit.text('the id of the team at Apple', 'A1B2C3D4E5').optional().meta({ about: 'Apple: whose key signs' }),
  key_id: kit.text('the id of the key at Apple', 'F6G7H8I9J0').optional().meta({ about: 'Apple: which key signs' }),
  private_key: kit
    .secret('the private key of the team, PEM')
    .optional()
    .meta({ about: 'Apple: signs what stands for the client secret' }),
  endpoints: endpoints.optional().meta({ about: 'of plain OAuth 2, which has no discovery' }),
  scopes: scopes.optional().meta({ about: 'what the provider is asked to tell' }),
  redirect_uri: redirectUri.meta({ about: 'the page of yours to which a sign-in comes back' }),
  redirect_uris: z
    .array(redirectUri)
    .max(oauth.redirectUrisMax)
    .meta({
      description: `a list of at most ${oauth.redirectUrisMax} http or https URLs without query and fragment`,
      example: '[https://app.example.org/account]',
      about: 'further pages to which it may ask to come back',
    })
    .optional(),
  roles: kit.list(role, 'roles').default([]).meta({ about: 'what a user may do from the first sign-in on' }),
  link: kit
    .oneOf(['none', 'email_verified'])
    .default('none')
    .meta({ about: 'whether a verified address finds the user who has it already' }),
});

export const oauthSection = kit.entry({
  providers: z
    .record(providerName, provider)
    .meta({ description: 'a map of providers by name', example: '{ corporate: { issuer: … } }' })
    .meta({ about: 'the providers' }),
});
