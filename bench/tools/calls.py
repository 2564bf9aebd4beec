"""Forty things that a person may ask, and the call that each is about."""

from dataclasses import dataclass


def tool(name: str, description: str, required: list[str], **properties: dict) -> dict:
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TEXT = {"type": "string"}
NUMBER = {"type": "integer"}

TOOLS = [
    tool("get_weather", "The weather in a city now.", ["city"],
         city=TEXT, unit={"type": "string", "enum": ["celsius", "fahrenheit"]}),
    tool("send_email", "Sends an email.", ["to", "subject", "body"], to=TEXT, subject=TEXT, body=TEXT),
    tool("create_event", "Adds an event to the calendar.", ["title", "date"],
         title=TEXT, date={"type": "string", "description": "YYYY-MM-DD"}, duration_minutes=NUMBER,
         attendees={"type": "array", "items": TEXT}),
    tool("convert_currency", "Converts an amount of money.", ["amount", "from", "to"],
         amount={"type": "number"}, **{"from": {"type": "string", "description": "ISO code"}}, to=TEXT),
    tool("search_files", "Finds files by a pattern of their names.", ["pattern"],
         pattern=TEXT, folder=TEXT, case_sensitive={"type": "boolean"}),
    tool("run_query", "Runs a query on the database.", ["sql"], sql=TEXT, limit={"type": "integer", "minimum": 1, "maximum": 1000}),
    tool("set_light", "Switches a lamp at home.", ["room", "on"],
         room={"type": "string", "enum": ["kitchen", "bedroom", "bathroom", "office"]}, on={"type": "boolean"},
         brightness={"type": "integer", "minimum": 0, "maximum": 100}),
    tool("book_table", "Books a table in a restaurant.", ["restaurant", "people", "time"],
         restaurant=TEXT, people={"type": "integer", "minimum": 1, "maximum": 20}, time=TEXT, notes={"type": ["string", "null"]}),
]


@dataclass(frozen=True)
class Call:
    question: str
    function: str
    #: Of the arguments, what must be in them, compared as text in lower case.
    expected: dict[str, str]


def call(function: str, question: str, **expected: str) -> Call:
    return Call(question, function, {name.rstrip("_"): value for name, value in expected.items()})


CALLS = [
    call("get_weather", "What's the weather like in Lisbon?", city="lisbon"),
    call("get_weather", "Is it raining in Oslo right now?", city="oslo"),
    call("get_weather", "How warm is it in Denver, in fahrenheit?", city="denver", unit="fahrenheit"),
    call("get_weather", "Do I need a coat in Quebec City today?", city="quebec"),
    call("get_weather", "Wie ist das Wetter in München?", city="m"),
    call("send_email", "Send an email to ana@example.org with the subject Lunch and ask whether noon is fine.",
         to="ana@example.org", subject="lunch"),
    call("send_email", "Email bob@example.com: subject 'Invoice 42', body 'Please find it attached.'",
         to="bob@example.com", subject="42"),
    call("send_email", "Write to support@example.net that my order 7781 has not arrived. Subject: Missing order.",
         to="support@example.net", body="7781"),
    call("send_email", "Tell my boss at boss@example.org by mail that I am ill today, subject Sick leave.",
         to="boss@example.org", subject="sick"),
    call("send_email", "Mail \"Happy birthday, \\ and many more!\" to lee@example.org with subject Birthday.",
         to="lee@example.org", subject="birthday"),
    call("create_event", "Put a dentist appointment on 2026-03-14 into my calendar.", title="dentist", date="2026-03-14"),
    call("create_event", "Add 'Sprint review' on 2026-05-02 for 90 minutes.", title="sprint", date="2026-05-02",
         duration_minutes="90"),
    call("create_event", "Schedule a call with Eve and Adam on 2026-07-01.", date="2026-07-01"),
    call("create_event", "Block 2026-12-24 for Christmas dinner.", title="dinner", date="2026-12-24"),
    call("create_event", "On 2027-01-05 we have a kickoff meeting of two hours, note it.", date="2027-01-05"),
    call("convert_currency", "How much is 100 USD in EUR?", amount="100", from_="usd", to="eur"),
    call("convert_currency", "Convert 2500 JPY to GBP.", amount="2500", from_="jpy", to="gbp"),
    call("convert_currency", "What are 19.99 CHF in USD?", amount="19.99", from_="chf", to="usd"),
    call("convert_currency", "I have 50 AUD. How many NZD is that?", amount="50", from_="aud", to="nzd"),
    call("convert_currency", "Change 1000000 INR into EUR please.", amount="1000000", from_="inr", to="eur"),
    call("search_files", "Find all files that end with .log", pattern="log"),
    call("search_files", "Where are the PNG pictures in the folder photos?", pattern="png", folder="photos"),
    call("search_files", "Look for README files, upper case matters.", pattern="readme"),
    call("search_files", "Search /etc for files named *.conf", pattern="conf", folder="/etc"),
    call("search_files", "Which Python files are in src?", pattern="py"),
    call("run_query", "Run SELECT COUNT(*) FROM users on the database.", sql="count(*)"),
    call("run_query", "Show me the 10 newest orders from the table orders, by created_at.", sql="orders"),
    call("run_query", "Query the database for customers whose name is O'Brien.", sql="customers"),
    call("run_query", "Execute: SELECT \"name\" FROM \"products\" WHERE price < 5", sql="products"),
    call("run_query", "List the names in the table staff, at most 50 rows.", sql="staff"),
    call("set_light", "Turn on the light in the kitchen.", room="kitchen", on="true"),
    call("set_light", "Switch the bedroom lamp off.", room="bedroom", on="false"),
    call("set_light", "Make the office light 30 percent bright.", room="office", brightness="30"),
    call("set_light", "It is too dark in the bathroom, full brightness please.", room="bathroom", on="true"),
    call("set_light", "Lights out in the kitchen!", room="kitchen", on="false"),
    call("book_table", "Book a table for four at Chez Nous at 19:30.", people="4", time="19:30"),
    call("book_table", "Reserve for 2 people at Luigi's at 8 pm, we need a high chair.", people="2", restaurant="luigi"),
    call("book_table", "I want a table at Sakura for 6 at 18:00.", people="6", restaurant="sakura"),
    call("book_table", "Get us a table for three at The Oak, 12:15.", people="3", restaurant="oak"),
    call("book_table", "Table for one, El Toro, 21:00.", people="1", restaurant="toro"),
]

assert len(CALLS) == 40
