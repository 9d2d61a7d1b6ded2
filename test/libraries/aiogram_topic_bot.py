"""The bot for topics, written with aiogram as its manual says."""

import asyncio
import os

from aiogram import Bot, Dispatcher, F
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import TelegramBadRequest
from aiogram.filters import Command

server = TelegramAPIServer.from_base(os.environ["API_ROOT"])
bot = Bot(os.environ["TOKEN"], session=AiohttpSession(api=server))
dispatcher = Dispatcher()


@dispatcher.message(Command("topic"))
async def create(message, command):
    topic = await bot.create_forum_topic(message.chat.id, command.args)
    await bot.send_message(
        message.chat.id,
        f"Welcome to {topic.name}",
        message_thread_id=topic.message_thread_id,
    )


@dispatcher.message(F.forum_topic_created)
async def greet(message):
    if message.from_user.id != bot.id:
        # The library itself keeps answers in the topic of the message.
        await message.answer(f"I see {message.forum_topic_created.name}")


@dispatcher.message(F.is_topic_message, F.text)
async def answer(message):
    if message.text != "close":
        await message.answer(message.text)
        return
    try:
        await bot.close_forum_topic(message.chat.id, message.message_thread_id)
    except TelegramBadRequest as error:
        # The library drops the code.
        await message.answer(f"400 {error.message}")


@dispatcher.startup()
async def ready():
    print("ready", flush=True)


# A stop waits for the poll.
asyncio.run(dispatcher.start_polling(bot, polling_timeout=1))
