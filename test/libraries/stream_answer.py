"""Streams an answer by edits, with the library that the first argument names, as its manual says.

Prints how many calls the library reported as refused for a limit.
"""

import asyncio
import os
import sys

root = os.environ["API_ROOT"]
token = os.environ["TOKEN"]
chat_id = int(os.environ["CHAT"])


def telegram():
    from telegram import Bot
    from telegram.error import RetryAfter
    from telegram.request import HTTPXRequest

    request = HTTPXRequest(read_timeout=90)
    return Bot(token, base_url=f"{root}/bot", request=request), RetryAfter


def aiogram():
    from aiogram import Bot
    from aiogram.client.session.aiohttp import AiohttpSession
    from aiogram.client.telegram import TelegramAPIServer
    from aiogram.exceptions import TelegramRetryAfter

    session = AiohttpSession(api=TelegramAPIServer.from_base(root), timeout=90)
    return Bot(token, session=session), TelegramRetryAfter


async def stream(bot, refused):
    refusals = 0
    message = await bot.send_message(chat_id=chat_id, text="Let me see …")
    for text in [*("word " * words for words in range(1, 25)), "Done."]:
        try:
            await bot.send_chat_action(chat_id=chat_id, action="typing")
            await bot.edit_message_text(
                text=text, chat_id=chat_id, message_id=message.message_id
            )
        except refused:
            refusals += 1
    print(refusals)


async def main():
    bot, refused = {"telegram": telegram, "aiogram": aiogram}[sys.argv[1]]()
    async with bot:
        await stream(bot, refused)


asyncio.run(main())
