/** The rows of the worked example: eighty messages of customers, with ids. */
const ticketsCsv = `id,text
C-1,I was charged twice for the photo album.
C-2,The export of the team licence stops half way.
C-3,Why is the bill for order 4711 higher than last month?
C-4,The price of the team licence on my bill is not what was agreed.
C-5,When will the refund for the second seat arrive?
C-6,When will the refund for the spring plan arrive?
C-7,The app crashes when I open the second seat.
C-8,How do I share the team licence with a colleague?
C-9,The invoice for the spring plan shows the wrong amount.
C-10,You took money for the second seat that I never ordered.
C-11,Please refund the payment for the second seat.
C-12,Please delete order 4711 from my account.
C-13,I cannot log in to see order 4711.
C-14,The team licence loads very slowly since the update.
C-15,My card was billed after I cancelled the spring plan.
C-16,I cannot log in to see the team licence.
C-17,The invoice for order 4711 shows the wrong amount.
C-18,The app crashes when I open the team licence.
C-19,Please delete the photo album from my account.
C-20,How do I share the spring plan with a colleague?
C-21,Please refund the payment for the team licence.
C-22,My card was billed after I cancelled the photo album.
C-23,Please refund the payment for order 4711.
C-24,The handle of the team licence is broken.
C-25,The app crashes when I open the photo album.
C-26,Please delete the team licence from my account.
C-27,Why is the bill for the spring plan higher than last month?
C-28,I cannot log in to see the second seat.
C-29,You took money for order 4711 that I never ordered.
C-30,Why is the bill for the team licence higher than last month?
C-31,The export of the photo album stops half way.
C-32,Please refund the payment for the photo album.
C-33,You took money for the team licence that I never ordered.
C-34,I cannot log in to see the photo album.
C-35,The spring plan loads very slowly since the update.
C-36,The invoice for the team licence shows the wrong amount.
C-37,Why is the bill for the photo album higher than last month?
C-38,Can you send the manual for the photo album?
C-39,The price of the photo album on my bill is not what was agreed.
C-40,When will the refund for the team licence arrive?
C-41,The price of the spring plan on my bill is not what was agreed.
C-42,The price of order 4711 on my bill is not what was agreed.
C-43,The export of order 4711 stops half way.
C-44,When will the refund for the photo album arrive?
C-45,The handle of the second seat is broken.
C-46,My card was billed after I cancelled order 4711.
C-47,Can you send the manual for order 4711?
C-48,Please delete the second seat from my account.
C-49,I was charged twice for order 4711.
C-50,When will the refund for order 4711 arrive?
C-51,How do I share the photo album with a colleague?
C-52,Please refund the payment for the spring plan.
C-53,I was charged twice for the second seat.
C-54,How do I share the second seat with a colleague?
C-55,The app crashes when I open order 4711.
C-56,I was charged twice for the spring plan.
C-57,The handle of the photo album is broken.
C-58,The photo album loads very slowly since the update.
C-59,Can you send the manual for the spring plan?
C-60,The export of the second seat stops half way.
C-61,The export of the spring plan stops half way.
C-62,The invoice for the second seat shows the wrong amount.
C-63,The app crashes when I open the spring plan.
C-64,Order 4711 saves me a lot of money.
C-65,My card was billed after I cancelled the second seat.
C-66,I cannot log in to see the spring plan.
C-67,Order 4711 loads very slowly since the update.
C-68,Can you send the manual for the team licence?
C-69,Why is the bill for the second seat higher than last month?
C-70,The price of the second seat on my bill is not what was agreed.
C-71,You took money for the photo album that I never ordered.
C-72,Can you send the manual for the second seat?
C-73,I was charged twice for the team licence.
C-74,The invoice for the photo album shows the wrong amount.
C-75,Please delete the spring plan from my account.
C-76,How do I share order 4711 with a colleague?
C-77,My card was billed after I cancelled the team licence.
C-78,The second seat loads very slowly since the update.
C-79,The handle of the spring plan is broken.
C-80,You took money for the spring plan that I never ordered.
`

const questionsJson = `{
  "questions": {
    "billing": {
      "type": "noul",
      "instructions": "Is this about money that was charged?",
      "criteria": {
        "true": "an invoice, a bill, a charge, a payment, a price or a refund",
        "false": "an app, a manual, a login, an export or a device"
      }
    }
  }
}
`

/**
 * The rows that `svc sample` draws from the run of the example, with the labels of a person. `p` is the probability
 * of a row to be drawn: 75 of 80 rows.
 */
const labelledCsv = `index,id,p,text,billing.label
0,C-1,0.9375,I was charged twice for the photo album.,TRUE
1,C-2,0.9375,The export of the team licence stops half way.,FALSE
2,C-3,0.9375,Why is the bill for order 4711 higher than last month?,TRUE
3,C-4,0.9375,The price of the team licence on my bill is not what was agreed.,TRUE
4,C-5,0.9375,When will the refund for the second seat arrive?,TRUE
5,C-6,0.9375,When will the refund for the spring plan arrive?,TRUE
6,C-7,0.9375,The app crashes when I open the second seat.,FALSE
7,C-8,0.9375,How do I share the team licence with a colleague?,FALSE
8,C-9,0.9375,The invoice for the spring plan shows the wrong amount.,TRUE
9,C-10,0.9375,You took money for the second seat that I never ordered.,TRUE
10,C-11,0.9375,Please refund the payment for the second seat.,TRUE
11,C-12,0.9375,Please delete order 4711 from my account.,FALSE
13,C-14,0.9375,The team licence loads very slowly since the update.,FALSE
14,C-15,0.9375,My card was billed after I cancelled the spring plan.,TRUE
15,C-16,0.9375,I cannot log in to see the team licence.,FALSE
16,C-17,0.9375,The invoice for order 4711 shows the wrong amount.,TRUE
17,C-18,0.9375,The app crashes when I open the team licence.,FALSE
18,C-19,0.9375,Please delete the photo album from my account.,FALSE
19,C-20,0.9375,How do I share the spring plan with a colleague?,FALSE
21,C-22,0.9375,My card was billed after I cancelled the photo album.,TRUE
22,C-23,0.9375,Please refund the payment for order 4711.,TRUE
23,C-24,0.9375,The handle of the team licence is broken.,FALSE
24,C-25,0.9375,The app crashes when I open the photo album.,FALSE
25,C-26,0.9375,Please delete the team licence from my account.,FALSE
26,C-27,0.9375,Why is the bill for the spring plan higher than last month?,TRUE
27,C-28,0.9375,I cannot log in to see the second seat.,FALSE
28,C-29,0.9375,You took money for order 4711 that I never ordered.,TRUE
29,C-30,0.9375,Why is the bill for the team licence higher than last month?,TRUE
30,C-31,0.9375,The export of the photo album stops half way.,FALSE
31,C-32,0.9375,Please refund the payment for the photo album.,TRUE
32,C-33,0.9375,You took money for the team licence that I never ordered.,TRUE
33,C-34,0.9375,I cannot log in to see the photo album.,FALSE
34,C-35,0.9375,The spring plan loads very slowly since the update.,FALSE
36,C-37,0.9375,Why is the bill for the photo album higher than last month?,TRUE
37,C-38,0.9375,Can you send the manual for the photo album?,FALSE
38,C-39,0.9375,The price of the photo album on my bill is not what was agreed.,TRUE
39,C-40,0.9375,When will the refund for the team licence arrive?,TRUE
40,C-41,0.9375,The price of the spring plan on my bill is not what was agreed.,TRUE
41,C-42,0.9375,The price of order 4711 on my bill is not what was agreed.,TRUE
43,C-44,0.9375,When will the refund for the photo album arrive?,TRUE
44,C-45,0.9375,The handle of the second seat is broken.,FALSE
45,C-46,0.9375,My card was billed after I cancelled order 4711.,TRUE
46,C-47,0.9375,Can you send the manual for order 4711?,FALSE
47,C-48,0.9375,Please delete the second seat from my account.,FALSE
48,C-49,0.9375,I was charged twice for order 4711.,TRUE
49,C-50,0.9375,When will the refund for order 4711 arrive?,TRUE
50,C-51,0.9375,How do I share the photo album with a colleague?,FALSE
51,C-52,0.9375,Please refund the payment for the spring plan.,TRUE
52,C-53,0.9375,I was charged twice for the second seat.,TRUE
53,C-54,0.9375,How do I share the second seat with a colleague?,FALSE
55,C-56,0.9375,I was charged twice for the spring plan.,TRUE
56,C-57,0.9375,The handle of the photo album is broken.,FALSE
57,C-58,0.9375,The photo album loads very slowly since the update.,FALSE
58,C-59,0.9375,Can you send the manual for the spring plan?,FALSE
59,C-60,0.9375,The export of the second seat stops half way.,FALSE
60,C-61,0.9375,The export of the spring plan stops half way.,FALSE
61,C-62,0.9375,The invoice for the second seat shows the wrong amount.,TRUE
62,C-63,0.9375,The app crashes when I open the spring plan.,FALSE
63,C-64,0.9375,Order 4711 saves me a lot of money.,FALSE
64,C-65,0.9375,My card was billed after I cancelled the second seat.,TRUE
65,C-66,0.9375,I cannot log in to see the spring plan.,FALSE
66,C-67,0.9375,Order 4711 loads very slowly since the update.,FALSE
67,C-68,0.9375,Can you send the manual for the team licence?,FALSE
68,C-69,0.9375,Why is the bill for the second seat higher than last month?,TRUE
69,C-70,0.9375,The price of the second seat on my bill is not what was agreed.,TRUE
70,C-71,0.9375,You took money for the photo album that I never ordered.,TRUE
71,C-72,0.9375,Can you send the manual for the second seat?,FALSE
72,C-73,0.9375,I was charged twice for the team licence.,TRUE
73,C-74,0.9375,The invoice for the photo album shows the wrong amount.,TRUE
74,C-75,0.9375,Please delete the spring plan from my account.,FALSE
75,C-76,0.9375,How do I share order 4711 with a colleague?,FALSE
76,C-77,0.9375,My card was billed after I cancelled the team licence.,TRUE
77,C-78,0.9375,The second seat loads very slowly since the update.,FALSE
78,C-79,0.9375,The handle of the spring plan is broken.,FALSE
79,C-80,0.9375,You took money for the spring plan that I never ordered.,TRUE
`

const readmeMarkdown = `# Eighty tickets, from the first question to the rows that a person must see

Start a service in another terminal: \`svc serve\`. Then, in this folder (for a hosted service leave the first line out and add \`--provider\` to \`svc batch\`):

\`\`\`sh
export SERVICE_API_KEY=any   # svc serve takes any key here
svc batch -f questions.json -i tickets.csv --state-field text --id-field id -o run.jsonl
svc sample -i run.jsonl -n 75 --for measure --rows tickets.csv -o to-label.csv
svc eval run.jsonl --labels labelled.csv --table
svc share run.jsonl --labels labelled.csv --table
svc calibrate run.jsonl --labels labelled.csv --target accuracy=0.95 --confidence 0.9 -o policy.json --table
svc batch -f questions.json -i tickets.csv --state-field text --id-field id --reuse run.jsonl --policy policy.json --pin -o decided.jsonl
svc select -i decided.jsonl --where 'billing.outcome == "review"' --rows tickets.csv -o for-a-person.csv
\`\`\`

\`labelled.csv\` is \`to-label.csv\` as a person filled it in. To label the rows yourself: \`svc label -i to-label.csv -f questions.json\`, and then \`--labels to-label.csv\`. \`svc help measuring\` explains each step.
`

interface ExampleFile {
  readonly name: string
  readonly content: string
}

/** The files of the worked example, which `svc init tickets` writes. */
export const exampleFiles: ReadonlyArray<ExampleFile> = [
  { name: 'tickets.csv', content: ticketsCsv },
  { name: 'questions.json', content: questionsJson },
  { name: 'labelled.csv', content: labelledCsv },
  { name: 'README.md', content: readmeMarkdown },
]
