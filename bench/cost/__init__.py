"""What ten kinds of editing tasks cost a model, over MCP: tokens, calls, milliseconds, and whether the result is right.

    python -m bench.cost                                all contestants, all tasks
    python -m bench.cost --only "suture agent"          one contestant
    python -m bench.cost --show rename                  every request and answer of a task

`tasks` has the ten tasks, on the source of Flask (`source`), and says when one is done. For each server there is a
module with *scripts*: the calls that a competent model makes with the tools of this server, and how it reacts to their
answers (`script`). `run` starts each server anew for each task in a fresh copy of the source, follows the script,
counts (`count`) and judges.

Rules for the scripts
    A script uses the way that costs the fewest tokens, and then the fewest calls, of those that the server's own
    descriptions recommend. The first request is what a model would send that has not seen the answer yet. A correction
    uses only what the task says and what earlier answers showed.

    The shell, where a server has one, is used for tasks for which the server has no tool.

    Where the task starts from something the model has read before (the text to be replaced), reading it is not part
    of the task, for any server.

    A task for which a server has no tool, and which would make the model read every file, is not possible.
"""
