"""The bot for topics, written with python-telegram-bot as its manual says."""

import os

from telegram import Update
from telegram.error import BadRequest
from telegram.ext import Application, CommandHandler, MessageHandler, filters

root = os.environ["API_ROOT"]


async def create(update, context):
    topic = await update.effective_chat.create_forum_topic(" ".join(context.args))
    await update.effective_chat.send_message(
        f"Welcome to {topic.name}", message_thread_id=topic.message_thread_id
    )


async def greet(update, context):
    message = update.effective_message
    if message.from_user.id != context.bot.id:
        # The library itself keeps replies in the topic of the message.
        await message.reply_text(f"I see {message.forum_topic_created.name}")


async def answer(update, context):
    message = update.effective_message
    if message.text != "close":
        await message.reply_text(message.text)
        return
    try:
        await message.close_forum_topic()
    except BadRequest as error:
        # The library drops the code, and writes the name of the error in small letters.
        await message.reply_text(f"400 Bad Request: {error.message.upper()}")


async def ready(_):
    print("ready", flush=True)


app = (
    Application.builder()
    .token(os.environ["TOKEN"])
    .base_url(f"{root}/bot")
    .base_file_url(f"{root}/file/bot")
    .post_init(ready)
    .build()
)
app.add_handler(CommandHandler("topic", create))
app.add_handler(MessageHandler(filters.StatusUpdate.FORUM_TOPIC_CREATED, greet))
app.add_handler(MessageHandler(filters.TEXT & filters.IS_TOPIC_MESSAGE, answer))
# A stop waits for the poll.
app.run_polling(timeout=1, allowed_updates=Update.ALL_TYPES)
