#!/bin/sh
# Talks to a bot of the stand-alone sandbox from a shell, and answers as the bot.
#
#   bot-relay sandbox --port 8081
#   SANDBOX=http://127.0.0.1:8081 sh examples/talk.sh
set -eu
SANDBOX=${SANDBOX:-http://127.0.0.1:8081}

act() { curl -sS "$SANDBOX/sandbox/$1" -H 'Content-Type: application/json' -d "$2"; echo; }
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }

TOKEN=$(act bots/create '{"first_name": "Tea shop"}' | field token)
BOT=${TOKEN%%:*}
ANNA=$(act users/create '{"first_name": "Anna"}' | field id)
bot() { curl -sS "$SANDBOX/bot$TOKEN/$1" -H 'Content-Type: application/json' -d "$2"; echo; }

# Anna writes, the bot sees it and answers with a button, Anna presses it.
act say "{\"user\": $ANNA, \"chat\": $BOT, \"text\": \"Do you have green tea?\"}"
bot getUpdates '{"timeout": 5}'
bot sendMessage "{\"chat_id\": $ANNA, \"text\": \"Always. How much?\",
  \"reply_markup\": {\"inline_keyboard\": [[{\"text\": \"100 g\", \"callback_data\": \"100\"}]]}}"
act press "{\"user\": $ANNA, \"chat\": $BOT, \"message_id\": 2, \"button\": \"100 g\"}"
bot getUpdates '{"offset": -1, "timeout": 5}'

# What Anna's phone shows.
curl -sS "$SANDBOX/sandbox/history?user=$ANNA&chat=$BOT"
echo
