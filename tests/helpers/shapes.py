"""Small files in the shapes that tools and people write, by name, and what each of them holds."""

# fmt: off
import json
import tempfile
from pathlib import Path

import duckdb

J = json.dumps


def jl(rows):
    """JSON Lines."""
    return "\n".join(map(J, rows)) + "\n"


def parquet(rows):
    """A Parquet file."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as con:
        source, target = Path(folder) / "rows.jsonl", Path(folder) / "rows.parquet"
        source.write_text(jl(rows))
        con.execute(f"COPY (FROM read_json('{source}')) TO '{target}'")
        return target.read_bytes()


S = {}
# dopamine folders: one file per game (CSV), columns Agent,Game,Iteration,Value... JSON baselines: list of dicts
S["dopamine_json"]={f"dopamine/{g}.json": J([{"Agent":a,"Iteration":i,"Return":100.0*i+7*k+len(g)} for k,a in enumerate(["DQN","Rainbow","IQN"]) for i in range(3)]) for g in ("Pong","Qbert")}
S["dopamine_csv"]={f"{a}/{g}_{s}.csv":"step,time,return\n"+"".join(f"{i*1000},{1600000000+i},{i*10+s+len(g)}\n" for i in range(3)) for a in ("dqn","rainbow") for g in ("Pong","Qbert") for s in (1,2)}
# multi-swe-bench
S["multi_swe"]={f"msb/{m}/final_report.json":J({"total_instances":5,"submitted_instances":4,"completed_instances":4,"incomplete_instances":1,"resolved_instances":len(r),"unresolved_instances":4-len(r),"empty_patch_instances":0,"error_instances":0,"submitted_ids":["a/b:pr-1","a/b:pr-2","a/b:pr-3","a/b:pr-4"],"completed_ids":["a/b:pr-1","a/b:pr-2","a/b:pr-3","a/b:pr-4"],"incomplete_ids":["a/b:pr-5"],"resolved_ids":r,"unresolved_ids":[x for x in ["a/b:pr-1","a/b:pr-2","a/b:pr-3","a/b:pr-4"] if x not in r],"empty_patch_ids":[],"error_ids":[]}) for m,r in (("modelA",["a/b:pr-1","a/b:pr-2"]),("modelB",["a/b:pr-3"]))}
# terminal-bench raw
def tb(model, vals):
    """A run of terminal-bench."""
    return J({"id":"x","results":[{"id":f"u{i}","trial_name":f"task{i}.1-of-1.{model}","task_id":f"task{i}","instruction":"do it","is_resolved":v,"failure_mode":"unset","parser_results":{"t":"passed"},"recording_path":"p","total_input_tokens":1000+i,"total_output_tokens":20,"trial_started_at":"2025-07-01T10:00:00+00:00","trial_ended_at":"2025-07-01T10:05:00+00:00"} for i,v in enumerate(vals)],"pass_at_k":{"1":0.5},"n_resolved":sum(vals),"n_unresolved":len(vals)-sum(vals),"resolved_ids":[f"task{i}" for i,v in enumerate(vals) if v],"unresolved_ids":[f"task{i}" for i,v in enumerate(vals) if not v],"accuracy":sum(vals)/len(vals)})
S["tbench"]={"runs/2025-07-01__a/results.json":tb("a",[True,False,True]),"runs/2025-07-01__a/run_metadata.json":J({"run_id":"2025-07-01__a","agent_name":"terminus","model_name":"anthropic/claude","dataset_name":"terminal-bench-core","dataset_version":"0.1.1","accuracy":0.67,"commit_hash":"abc","username":"u","start_time":"2025-07-01T10:00:00","end_time":"2025-07-01T11:00:00"}),"runs/2025-07-02__b/results.json":tb("b",[True,True,True]),"runs/2025-07-02__b/run_metadata.json":J({"run_id":"2025-07-02__b","agent_name":"terminus","model_name":"openai/gpt","dataset_name":"terminal-bench-core","dataset_version":"0.1.1","accuracy":1.0,"start_time":"2025-07-02T10:00:00"})}
# AutoML benchmark
S["amlb"]={"results.csv":"id,task,framework,constraint,fold,type,result,metric,mode,version,params,app_version,utc,duration,training_duration,predict_duration,models_count,seed,info,acc,auc,logloss\n"+"".join(f"openml.org/t/{t},task{t},{f},1h8c,{k},binary,{0.8+k*0.01+t*0.001},auc,aws,1.0,,2.0,2023-01-0{k+1}T00:00:00,{3600+k},{3500+k},1.5,{5},{123+k},,{0.7+0.01*k},{0.8+k*0.01+t*0.001},{0.4-k*.01}\n" for t in (1,2) for f in ("AutoGluon","FLAML") for k in (0,1))}
# MUSHRA lists in cells
S["mushra_lists"]={"mushra.csv":'listener,trial,stimuli,ratings\nl1,t1,"[\'ref\', \'anchor\', \'sysA\']","[100, 20, 70]"\nl2,t1,"[\'ref\', \'anchor\', \'sysA\']","[98, 25, 80]"\n'}
# webMUSHRA
S["webmushra"]={"mushra.csv":"session_test_id,age,gender,trial_id,rating_stimulus,rating_score,rating_time,rating_comment\n"+"".join(f"mytest,{30},m,trial{t},{s},{v+t},{1000+v},\n" for t in (1,2) for s,v in (("reference",98),("C1",60),("C2",75),("anchor35",20)))}
S["jsonl_dicts"]={"res.jsonl":jl([{"id":i,"model":m,"metrics":{"accuracy":0.5+.1*i,"latency":3.2},"usage":{"tokens":400}} for m in ("a","b") for i in range(2)])}
S["jsonl_dict_models"]={"res.jsonl":jl([{"id":f"q{i}","scores":{"gpt":0.5+.1*i,"claude":0.7}, "timestamp":1700000000+i} for i in range(3)])}
S["ab_options"]={"b.csv":'question,options,choice,annotator\nq1,"gpt,claude",gpt,u1\nq2,"claude,llama",llama,u2\nq3,"gpt,llama",tie,u1\n'}
S["team_ft"]={"f.csv":"Round,Date,Team 1,FT,HT,Team 2\n1,Sat Aug 12 2023,Arsenal,2-1,1-0,Forest\n1,Sat Aug 12 2023,Burnley,0-3,0-2,City\n2,Sat Aug 19 2023,Forest,1-1,0-1,Burnley\n2,Sat Aug 19 2023,City,1-0,1-0,Arsenal\n"}
S["mixed_tabs"]={"t.txt":"model \t acc   f1\na   0.5\t0.6\nb\t0.7   0.8\nc 0.4 0.3\n"}
S["headerless"]={"h.csv":"gpt,claude,gpt\nclaude,llama,llama\ngpt,llama,gpt\n"}
S["headerless_scores"]={"h.csv":"gpt,math,0.5\nclaude,math,0.6\ngpt,law,0.7\nclaude,law,0.2\n"}
S["headerless_wide"]={"h.csv":"gpt,0.5,0.6\nclaude,0.7,0.8\nllama,0.1,0.2\n"}
S["decimal_comma"]={"d.csv":"model;math;law\ngpt;0,5;0,61\nclaude;0,7;0,82\n"}
S["decimal_comma_long"]={"d.csv":"agent;task;score\ngpt;m;0,5\nclaude;m;0,7\ngpt;l;1,5\nclaude;l;0,2\n"}
S["labels_0_00"]={"l.csv":"agent_a,agent_b,outcome\ngpt,claude,0\nclaude,gpt,0.0\ngpt,llama,1\nllama,claude,1.0\n"}
S["labels_12"]={"l.csv":"model_1,model_2,winner\ngpt,claude,1.0\nclaude,gpt,2\ngpt,llama,1\nllama,claude,2.0\n"}
S["preflib_blank"]={"p.soc":"# FILE NAME: p.soc\n# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 5\n# NUMBER UNIQUE ORDERS: 2\n# ALTERNATIVE NAME 1: Ann  \n# ALTERNATIVE NAME 2: Bob\t\n# ALTERNATIVE NAME 3: Cy\n3: 1,2,3\n2: 3,1,2\n"}
S["payoff_sq"]={"m.csv":",gpt,claude,llama\ngpt,0,0.5,1.5\nclaude,-0.5,0,2\nllama,-1.5,-2,0\n"}
S["payoff_sq_nohead"]={"m.csv":"0,0.5,1.5\n-0.5,0,2\n-1.5,-2,0\n"}
S["payoff_nonsym"]={"m.csv":",gpt,claude,llama\ngpt,1.1,0.5,1.5\nclaude,-0.3,0.7,2\nllama,-1.5,-2,0.2\n"}
S["payoff_winrate_noisy"]={"m.csv":",gpt,claude,llama\ngpt,,0.55,0.7\nclaude,0.45,,0.61\nllama,0.3,0.39,\n"}
S["payoff_perc"]={"m.csv":"model,gpt,claude,llama\ngpt,,55,70\nclaude,45,,61\nllama,30,39,\n"}
S["wide_with_time"]={"w.csv":"model,math,law,latency_s,tokens,cost_usd,timestamp,seed\ngpt,0.5,0.6,1.2,300,0.01,1700000000,1\nclaude,0.7,0.8,1.4,320,0.02,1700000400,1\nllama,0.4,0.4,0.2,100,0,1700000800,1\n"}
S["wide_only_time"]={"w.csv":"model,timestamp,tokens\ngpt,1700000000,300\nclaude,1700000400,320\n"}
S["wide_one_time"]={"w.csv":"model,accuracy,run_time\ngpt,0.5,300\nclaude,0.6,320\n"}
S["ts_agents"]={"w.csv":"timestamp,math,law\n2024-01-01 10:00:00,0.5,0.3\n2024-01-02 10:00:00,0.6,0.4\n"}
S["id_agents"]={"w.csv":"run_id,acc,f1\nabc123,0.5,0.3\nxyz345,0.6,0.4\n"}
S["uuid_agents"]={"w.csv":"x,acc,f1\n0b1f9a2e-1111-4c4c-9999-0123456789ab,0.5,0.3\n0b1f9a2e-1111-4c4c-9999-0123456789ac,0.6,0.4\n"}
S["kaggle"]={"lb.csv":"Rank,TeamId,TeamName,LastSubmissionDate,Score,SubmissionCount,TeamMemberUserNames\n1,123,Alpha,2024-01-01 00:00:00,0.91,12,u1\n2,124,Beta,2024-01-02 00:00:00,0.90,30,u2\n3,125,Gamma,2024-01-03 00:00:00,0.85,3,u3\n"}
S["kaggle_nested"]={"lb.csv":'Rank,TeamId,TeamName,LastSubmissionDate,Score\n1,123,Alpha,2024-01-01 00:00:00,0.91\n2,124,Beta,2024-01-02 00:00:00,0.90\n'}
S["football_data"]={"E0.csv":"Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,HTAG,HTR,Referee,HS,AS,B365H,B365D,B365A\nE0,11/08/2023,20:00,Burnley,City,0,3,A,0,2,A,C Pawson,6,17,8,5.5,1.33\nE0,12/08/2023,12:30,Arsenal,Forest,2,1,H,2,0,H,M Oliver,15,6,1.18,7,15\nE0,19/08/2023,15:00,City,Arsenal,1,1,D,0,0,D,X,3,3,2,3,4\n"}
S["wandb_table"]={"t.table.json":J({"columns":["model","task","score"],"data":[["a","x",.5],["b","x",.6],["a","y",.3],["b","y",.2]]})}
S["mlflow_split"]={"eval_results_table.json":J({"columns":["inputs","targets","outputs","token_count","exact_match/v1/score"],"data":[["q1","t","o",5,1],["q2","t","o",7,0]]})}
S["wandb_runs"]={"wandb_export.csv":'"Name","State","Notes","User","Tags","Created","Runtime","Sweep","lr","eval/acc","train/loss"\n"run-a","finished","-","u","","2024-01-01T00:00:00.000Z","3600","","0.001","0.8","0.3"\n"run-b","finished","-","u","","2024-01-02T00:00:00.000Z","3700","","0.002","0.85","0.2"\n'}
S["mlflow_runs"]={"runs.csv":"Start Time,Duration,Run ID,Name,Source Type,Source Name,User,Status,lr,accuracy,loss\n2024-01-01 00:00:00,1.2min,abcd,runA,LOCAL,x.py,u,FINISHED,0.1,0.8,0.4\n2024-01-02 00:00:00,1.3min,abce,runB,LOCAL,x.py,u,FINISHED,0.2,0.9,0.3\n"}
S["langsmith"]={"export.csv":"id,inputs,outputs,reference_outputs,run,error,latency,tokens,correctness\n1,q1,o,r,runA,,1.2,300,1\n2,q2,o,r,runA,,1.4,310,0\n3,q1,o,r,runB,,1.2,300,1\n4,q2,o,r,runB,,1.4,310,1\n"}
S["braintrust"]={"exp.jsonl":jl([{"id":f"e{i}","experiment_name":x,"input":f"q{i}","output":"o","expected":"e","scores":{"Factuality":.5+.1*i,"Levenshtein":.3},"metrics":{"start":1700000000.1,"end":1700000001.2,"tokens":300},"created":"2024-01-01T00:00:00Z"} for x in ("exp-a","exp-b") for i in range(2)])}
S["evalplus"]={f"evalplus/{m}_temp_0.0_eval_results.json":J({"date":"2024-01-01","hash":"h","eval":{f"HumanEval/{i}":[{"task_id":f"HumanEval/{i}","solution":"x","base_status":b,"plus_status":p,"base_fail_tests":[],"plus_fail_tests":[]}] for i,(b,p) in enumerate(v)}}) for m,v in (("gpt",[("pass","pass"),("pass","fail")]),("llama",[("fail","fail"),("pass","pass")]))}
S["bigcodebench"]={f"bcb/{m}--bigcodebench-instruct--openai-0-1-sanitized_calibrated_eval_results.json":J({"date":"2024-01-01","eval":{f"BigCodeBench/{i}":[{"task_id":f"BigCodeBench/{i}","solution":"x","status":b,"details":{}}] for i,b in enumerate(v)}}) for m,v in (("gpt",["pass","fail"]),("llama",["fail","fail"]))}
def helm(model, vals):
    """A run of HELM."""
    return {f"runs/v1/mmlu:model={model}/run_spec.json":J({"name":f"mmlu:subject=x,model={model}","scenario_spec":{"class_name":"helm.X","args":{"subject":"x"}},"adapter_spec":{"method":"multiple_choice_joint","model":model,"model_deployment":model},"metric_specs":[]}),
     f"runs/v1/mmlu:model={model}/per_instance_stats.json":J([{"instance_id":f"id{i}","train_trial_index":0,"stats":[{"name":{"name":"exact_match","split":"test"},"count":1,"sum":v,"sum_squared":v,"min":v,"max":v,"mean":v,"variance":0,"stddev":0},{"name":{"name":"num_prompt_tokens","split":"test"},"count":1,"sum":300,"sum_squared":9,"min":300,"max":300,"mean":300.0,"variance":0,"stddev":0},{"name":{"name":"inference_runtime","split":"test"},"count":1,"sum":1.2,"sum_squared":9,"min":1.2,"max":1.2,"mean":1.2,"variance":0,"stddev":0}]} for i,v in enumerate(vals)]),
     f"runs/v1/mmlu:model={model}/stats.json":J([{"name":{"name":"exact_match","split":"test"},"count":1,"sum":.5,"sum_squared":9,"min":1.2,"max":1.2,"mean":.5,"variance":0,"stddev":0}])}
S["helm"]={**helm("openai_gpt",[1,0,1]),**helm("meta_llama",[0,0,1])}
S["openai_evals"]={f"{m}_run.jsonl":jl([{"spec":{"completion_fns":[m],"eval_name":"test-match.s1.simple-v0","base_eval":"test-match","split":"s1","run_config":{"seed":1},"run_id":"230"+m,"created_at":"2023-01-01"}},*[{"run_id":"230"+m,"event_id":i,"sample_id":f"test-match.s1.{i}","type":"match","data":{"correct":v,"expected":"x","picked":"y"},"created_by":"","created_at":"2023"} for i,v in enumerate(vals)],{"final_report":{"accuracy":.5}}]) for m,vals in (("gpt-4",[True,False]),("gpt-3.5",[False,False]))}
S["deepeval"]={f"{m}.json":J({"testFile":None,"testCases":[{"name":f"test_case_{i}","input":"q","actualOutput":"o","success":v>.5,"metricsData":[{"name":"Answer Relevancy","threshold":.5,"success":v>.5,"score":v,"reason":"r","strictMode":False,"evaluationModel":"gpt-4o","evaluationCost":.003}],"runDuration":1.2,"evaluationCost":.003,"order":i} for i,v in enumerate(vals)],"conversationalTestCases":[],"metricsScores":[{"metric":"Answer Relevancy","scores":vals,"passes":1,"fails":1,"errors":0}],"testPassed":1,"testFailed":1,"runDuration":3.4}) for m,vals in (("base",[.4,.9]),("new",[.8,.95]))}
S["lighteval"]={f"results/{m}/results_2024-01-01T00-00-00.json":J({"config_general":{"lighteval_sha":"?","num_fewshot_seeds":1,"max_samples":None,"job_id":"","start_time":1.1,"end_time":2.2,"total_evaluation_time_secondes":"1.1","model_name":m,"model_sha":"x"},"results":{"leaderboard|arc:challenge|25":{"acc":v,"acc_stderr":.01,"acc_norm":v+.1,"acc_norm_stderr":.01},"all":{"acc":v,"acc_stderr":.01}},"versions":{"leaderboard|arc:challenge|25":0},"config_tasks":{},"summary_tasks":{},"summary_general":{}}) for m,v in (("org/a",.5),("org/b",.6))}
S["opencompass"]={"summary.csv":"dataset,version,metric,mode,gpt,llama\nceval,e4b2a1,naive_average,gen,55.1,40.2\nmmlu,abc123,accuracy,gen,60.0,-\narc,abc124,accuracy,ppl,70.0,50.0\n"}
S["mqm"]={"mqm.tsv":"system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\nsysA\td1\t1\t1\tr1\ts\tt\tAccuracy/Mistranslation\tMajor\nsysA\td1\t1\t1\tr1\ts\tt\tFluency/Punctuation\tMinor\nsysA\td1\t1\t2\tr1\ts\tt\tno-error\tno-error\nsysB\td1\t1\t1\tr1\ts\tt\tNo-error\tno-error\nsysB\td1\t1\t2\tr1\ts\tt\tFluency/Grammar\tMinor\n"}
S["mos"]={"mos.csv":"listener_id,system,utterance,mos\n1,A,u1,4\n1,B,u1,3\n2,A,u1,5\n2,B,u1,2\n1,A,u2,4\n"}
S["goals_ft_word"]={"f.csv":"date,home,away,score\n2024-01-01,A,B,FT 2-1\n2024-01-02,B,C,FT 0-0\n2024-01-03,C,A,FT 1-3\n"}
S["rl_seed_files"]={f"{alg}_seed{s}.csv":"Wall time,Step,Value\n"+"".join(f"{1600000000.5+i},{i*1000},{i*10+s}\n" for i in range(3)) for alg in ("ppo","sac") for s in (1,2)}
S["monitor"]={"ppo/0.monitor.csv":'#{"t_start": 1600000000.0, "env_id": "CartPole-v1"}\nr,l,t\n20.0,20,1.2\n22.0,22,2.2\n',"a2c/0.monitor.csv":'#{"t_start": 1600000000.0, "env_id": "CartPole-v1"}\nr,l,t\n30.0,30,1.2\n22.0,22,2.2\n'}
S["long_ids"]={"s.csv":"model,sample_id,prompt_tokens,completion_tokens,latency_ms\na,1,30,40,500\nb,1,30,45,600\na,2,30,44,500\nb,2,30,42,600\n"}
S["long_two_numbers"]={"s.csv":"model,question_id,latency_ms,correct,cost\na,1,500,1,.01\nb,1,600,0,.01\na,2,500,1,.01\nb,2,600,0,.01\n"}
S["date_agents_battles"]={"b.csv":"date_a,date_b,winner\n2024-01-01,2024-02-01,a\n2024-02-01,2024-01-01,b\n"}
S["id_battles"]={"b.csv":"id_a,id_b,score_a,score_b\n1,2,3,4\n2,1,5,6\n"}
S["nested_json_results"]={"r.json":J({"model":"gpt","timestamp":"2024","results":[{"id":1,"score":.5},{"id":2,"score":.6}]})}
S["dict_of_models"]={"r.json":J({"gpt":{"mmlu":.5,"arc":.6},"llama":{"mmlu":.4,"arc":.3}})}
S["list_scores"]={"r.json":J({"gpt":[.5,.6,.7],"llama":[.4,.3,.2]})}
S["braintrust_no_name"]={"exp.jsonl":S["braintrust"]["exp.jsonl"].replace("experiment_name","note")}
S["braintrust_files"]={f"{x}/exp.jsonl":jl([{"id":f"e{i}","input":f"q{i}","output":"o","scores":{"Factuality":v},"metrics":{"tokens":300}} for i,v in enumerate(vs)]) for x,vs in (("before",(.5,.6)),("after",(.7,.9)))}
S["braintrust_ids"]={"exp.jsonl":jl([{"id":f"{x}{i}","experiment_id":x,"metadata":{"model":"gpt"},"input":f"q{i}","output":"o","scores":{"Factuality":v},"metrics":{"tokens":300}} for x,vs in (("0f3a",(.5,.6)),("99b1",(.7,.9))) for i,v in enumerate(vs)])}
S["evalplus_folders"]={f"{m}/eval_results.json":J({"date":"2024-01-01","hash":"x","eval":{"HumanEval/0":[{"task_id":"HumanEval/0","solution":"s","base_status":v,"plus_status":v}]}}) for m,v in (("gpt","pass"),("llama","fail"))}
S["preflib_same"]={"p.soc":S["preflib_blank"]["p.soc"].replace("Bob\t","Ann")}
S["opencompass_details"]={f"results/{m}/{t}.json":J({"accuracy":100*sum(v)/len(v),"details":{"type":"GEN",**{str(i):{"prompt":f"p{i}","origin_prediction":"A","predictions":"A","references":"A" if x else "B","correct":bool(x)} for i,x in enumerate(v)}}}) for m,vs in (("gpt",((1,0,1),(1,1))),("llama",((0,0,1),(1,0)))) for t,v in zip(("ARC-c","gsm8k"),vs,strict=True)}
S["livecodebench"]={f"output/{m}/Scenario.codegeneration_10_0.2_eval_all.json":J([{"question_title":f"T{i}","platform":"leetcode","question_id":f"q{i}","contest_id":"c1","contest_date":"2024-01-06T00:00:00","difficulty":"easy","output_list":["a","b"],"code_list":["a","b"],"graded_list":g,"pass@1":sum(g)/2,"metadata":["{}","{}"]} for i,g in enumerate(gs)]) for m,gs in (("GPT-4o",([True,True],[False,True])),("Llama",([False,True],[False,False])))}
S["tau_bench"]={f"results/tool-calling-{m}-0.0_range_0--1.json":J([{"task_id":i,"reward":r,"info":{"task":{"user_id":"u"}},"traj":[{"role":"user"}],"trial":k} for k in range(2) for i,r in enumerate(rs)]) for m,rs in (("gpt",(1.0,0.0,1.0)),("claude",(1.0,1.0,1.0)))}
S["tau2_bench"]={f"simulations/{m}.json":J({"timestamp":"2025-07-01T10:00:00","info":{"git_commit":"x","num_trials":1,"agent_info":{"implementation":"llm_agent","llm":m},"user_info":{"llm":"gpt"},"environment_info":{"domain_name":"airline"}},"tasks":[{"id":str(i)} for i in range(2)],"simulations":[{"id":f"u{i}","task_id":str(i),"timestamp":"t","duration":3.2,"termination_reason":"agent_stop","agent_cost":0.1,"reward_info":{"reward":r},"messages":[],"trial":0,"seed":3} for i,r in enumerate(rs)]}) for m,rs in (("gpt-4.1",(1.0,0.0)),("claude",(1.0,1.0)))}
S["mteb"]={f"results/{m}/abc123/{t}.json":J({"dataset_revision":"abc","task_name":t,"mteb_version":"1.18.0","scores":{"test":[{"accuracy":v,"f1":v-.1,"main_score":v,"hf_subset":"default","languages":["eng-Latn"]}]},"evaluation_time":12.3,"kg_co2_emissions":None}) for m,vs in (("intfloat__e5",(.7,.8)),("BAAI__bge",(.75,.78))) for t,v in zip(("AmazonCounterfactual","Banking77"),vs,strict=True)}
S["ifeval"]={f"{m}/eval_results_strict.jsonl":jl([{"follow_all_instructions":a,"follow_instruction_list":[a,True],"instruction_id_list":["x:y","z:w"],"prompt":f"p{i}","response":"r"} for i,a in enumerate(v)]) for m,v in (("gpt",(True,False)),("llama",(False,False)))}
S["bfcl"]={f"score/{m}/BFCL_v3_{t}_score.json":jl([{"accuracy":v,"correct_count":1,"total_count":2},{"id":"simple_1","model_name":m,"test_category":t,"valid":False,"error":["x"],"prompt":{}}]) for m,vs in (("gpt",(.5,.75)),("llama",(.25,.5))) for t,v in zip(("simple","multiple"),vs,strict=True)}
S["bfcl_board"]={"data_overall.csv":"Rank,Overall Acc,Model,Model Link,Cost ($ Per 1k Function Calls),Latency Mean (s),Latency Standard Deviation (s),Latency 95th Percentile (s),Non-Live AST Acc,Organization,License\n1,76.43%,GPT-4o,https://a,5.2,1.3,0.7,2.5,88.1%,OpenAI,Proprietary\n2,70.2%,Llama,https://b,4.1,2.3,1.7,5.5,80.1%,Meta,Open\n"}
S["harbor"]={f"jobs/{j}/t{i}__x/result.json":J({"task_name":f"t{i}","trial_name":f"t{i}__x","config":{"agent":{"name":"terminus-2","model_name":m}},"agent_result":{"n_input_tokens":10},"verifier_result":{"rewards":{"reward":r}},"exception_info":None,"started_at":"2026-01-01T10:00:00Z"}) for j,m,rs in (("one","m1",(1.0,0.0)),("two","m2",(1.0,1.0))) for i,r in enumerate(rs)}
S["harbor_no_model"]={file:text.replace("model_name","note") for file,text in S["harbor"].items()}
S["tbench_trials"]={"runs/r/run_metadata.json":J({"run_id":"r","agent_name":"terminus","model_name":"m1","dataset_name":"core"}),**{f"runs/r/t{i}/t{i}.1-of-1.r/results.json":J({"id":"u","trial_name":f"t{i}.1-of-1.r","task_id":f"t{i}","is_resolved":v,"failure_mode":"unset","total_input_tokens":5}) for i,v in enumerate((True,False))}}
S["swe_resolved"]={f"evaluation/verified/{d}/results/results.json":J({"no_generation":[],"no_logs":["i3"],"resolved":r}) for d,r in (("20250101_a",["i1","i2"]),("20250102_b",["i1"]))}
S["lm_eval_runs"]={f"{m}/results_2025-01-0{k}T00-00-00.json":J({"results":{"arc":{"alias":"arc","acc,none":.5+.1*k,"acc_stderr,none":.01}},"versions":{"arc":1},"n-shot":{"arc":0},"higher_is_better":{"arc":{"acc":True}},"n-samples":{"arc":{"original":2,"effective":2}},"config":{"model":"hf","model_args":f"pretrained={m}"},"model_name":m}) for m in ("a","b") for k in (1,2)}
S["inspect_epochs"]={f"{m}.json":J({"version":2,"status":"success","eval":{"task":"t","task_id":"x","model":m,"dataset":{"name":"d"},"config":{"epochs":2}},"samples":[{"id":i,"epoch":e,"scores":{"match":{"value":"C" if (i+e+len(m))%2 else "I"},"model_graded":{"value":"P"}}} for i in (1,2) for e in (1,2)]}) for m in ("aa","b")}
S["promptfoo_repeat"]={"results.json":J({"evalId":"e","results":{"version":3,"timestamp":"2025-01-01T00:00:00Z","prompts":[],"stats":{},"results":[{"promptIdx":0,"testIdx":2*t+r,"promptId":"p","provider":{"id":p,"label":""},"prompt":{"raw":"x","label":"x"},"vars":{"q":t},"testCase":{"vars":{"q":t}},"success":bool(s),"score":s,"namedScores":{},"failureReason":0,"latencyMs":300,"cost":.01} for p,s in (("openai:a",1),("openai:b",0)) for t in (0,1) for r in (0,1)]},"config":{"description":"d"}})}
S["tsv_scores"]={"s.tsv":"model\tbenchmark\taccuracy\tn_tokens\nx\tarc\t0.5\t100\ny\tarc\t0.75\t90\nx\tmmlu\t0.25\t80\ny\tmmlu\t0.5\t70\n"}
S["semicolon_excel"]={"s.csv":"Modell;math;law;Kosten\n".replace("Modell","model").replace("Kosten","cost")+"x;0,5;0,25;1,20\ny;0,75;0,5;0,90\n"}
S["pandas_index"]={"s.csv":",model,arc,mmlu\n0,x,0.5,0.25\n1,y,0.75,0.5\n"}
S["leaderboard_params"]={"s.csv":"Rank,Model,Average,ARC,MMLU,Params (B),Date\n1,x,0.5,0.75,0.25,7,2024-01-01\n2,y,0.25,0.25,0.25,70,2024-02-01\n"}
S["tasks_first"]={"s.csv":"task,x,y\narc,0.5,0.75\nmmlu,0.25,0.5\n"}
S["dataset_and_model"]={"s.csv":"dataset,model,acc\narc,x,0.5\nmmlu,y,0.75\n"}
S["likert"]={"s.csv":"item_id,system,annotator,rating\n1,x,u,4\n1,y,u,2\n2,x,v,5\n2,y,v,3\n"}
S["arena_lists"]={"b.jsonl":jl([{"prompt":f"p{i}","models":["x","y"] if i%2 else ["y","x"],"winner":"x"} for i in range(3)])}
S["home_away_colon"]={"f.csv":"Date;Home;Away;Result\n2024-01-01;A;B;2:1\n2024-01-02;B;A;0:0\n2024-01-03;A;B;1:4\n"}
S["winner_loser"]={"w.csv":"winner_name,loser_name,tourney_date,minutes\nx,y,20240101,90\ny,x,20240102,80\nx,y,20240103,70\n"}
S["elo_log"]={"w.csv":"timestamp,model_a,model_b,winner,latency_a,latency_b,tokens_a,tokens_b\n1700000000,x,y,model_a,1,2,3,4\n1700000001,y,x,tie,1,2,3,4\n"}
S["places"]={"p.csv":"race,driver,position,time\nr1,x,1,80.5\nr1,y,2,81.5\nr2,y,1,79.5\nr2,x,2,80.0\n"}
S["year_columns"]={"y.csv":"team,2022,2023\nx,10,20\ny,30,40\n"}
S["percent_matrix"]={"m.csv":"model,x,y,z\nx,,55.5,70\ny,44.5,,60.5\nz,30,39.5,\n"}
S["rounded_rates"]={"m.csv":",x,y,z\nx,,0.67,0.5\ny,0.34,,0.5\nz,0.5,0.5,\n"}
S["rates_with_ties"]={"m.csv":",x,y,z\nx,,0.5,0.5\ny,0.3,,0.5\nz,0.4,0.5,\n"}
S["kaggle_rmse"]={"lb.csv":"Rank,TeamId,TeamName,LastSubmissionDate,Score\n1,123,Alpha,2024-01-01 00:00:00,0.11\n2,124,Beta,2024-01-02 00:00:00,0.12\n3,125,Gamma,2024-01-02 00:00:00,0.15\n"}

# Langfuse: scores by trace, whose `name` is that of a metric
S["langfuse"]={"scores.csv":"id,traceId,sessionId,datasetRunId,timestamp,source,name,dataType,value,stringValue,comment,metadata,observationId,traceName,userId,traceTags,environment,authorUserName\n"+"".join(f's{r}{k}{n[0]},t{r}{k},,,2026-01-0{k}T10:00:00.000Z,API,{n},NUMERIC,{v},,,{{}},,{r},u1,"[""x""]",default,\n' for r,b in (("qa-v1",.5),("qa-v2",.7)) for k in (1,2) for n,v in (("accuracy",b),("helpfulness",round(b+.1*k,1))))}
S["langfuse_json"]={"scores.json":J([{"id":f"s{r}{k}","traceId":f"t{r}{k}","timestamp":"2026-01-01T10:00:00.000Z","source":"EVAL","name":"accuracy","dataType":"NUMERIC","value":v,"stringValue":None,"traceName":r,"environment":"default"} for r,v in (("qa-v1",.5),("qa-v2",.7)) for k in (1,2)])}
# LightEval details
def details(task, values):
    """The samples of one task."""
    return parquet([{"doc":{"query":f"q{i}","choices":["a","b"],"gold_index":[0],"id":str(i),"task_name":task},"metric":{"em":float(v),"parts":[1,2]},"model_response":{"text":["x"],"logprobs":[.1]}} for i,v in enumerate(values)])
S["lighteval_details"]={f"out/details/{m}/2026-01-01T10-00-00.1/details_{t}_2026-01-01T10-00-00.1.parquet":details(t,v) for m,vs in (("org/a",((1,0,1),(1,1))),("other/a",((0,0,1),(0,1)))) for t,v in zip(("gsm8k|0","arc|25"),vs,strict=True)}
S["lighteval_details_hub"]={f"details_org__{m}_private/2026-01-01T10-00-00.1/details_gsm8k_2026-01-01T10-00-00.1.parquet":details("gsm8k|0",v) for m,v in (("a",(1,0)),("b",(1,1)))}
S["lighteval_details_old"]={f"out/details/org/{m}/2024-01-01T10-00-00.1/details_arc_2024-01-01T10-00-00.1.parquet":parquet([{"example":f"q{i}","full_prompt":f"p{i}","metrics":{"acc":v},"predictions":["x"],"choices":["a"],"hashes":{"example":"h"}} for i,v in enumerate(vs)]) for m,vs in (("a",(1,0)),("b",(1,1)))}
# shapes looked up to see how a new user fares
S["rewardbench"]={f"eval-set/org/{m}.json":J({"alpacaeval-easy":v,"hep-cpp":v/2,"chat_template":"tulu","model":f"org/{m}","model_type":"Seq. Classifier"}) for m,v in (("a",.8),("b",.6))}
S["inspect_evals_df"]={"evals.csv":"eval_id,run_id,task_id,log,created,git_commit,task_name,task_version,model,dataset_name,dataset_samples,epochs,status,total_samples,completed_samples,score_headline_name,score_headline_metric,score_headline_value,score_headline_stderr\n"+"".join(f"E{t}{m},R{t}{m},T{t},l.eval,2026-01-01T10:00:00+00:00,abc,{t},0,openai/{m},{t},50,1,success,50,50,match,accuracy,{v},0.05\n" for t,m,v in (("gsm8k","a",.8),("gsm8k","b",.6),("arc","a",.7),("arc","b",.75)))}
S["letta"]={"results.jsonl":jl([{"type":"result","result":{"sample":{"id":i,"input":f"q{i}","ground_truth":"x"},"submission":"x","grade":{"score":s,"rationale":"r","metadata":None},"model_name":m,"agent_id":"agent-1"}} for m,ss in (("gpt",(1.0,0.0)),("claude",(1.0,1.0))) for i,s in enumerate(ss)])}
S["phoenix"]={"evals.csv":"context.span_id,name,label,score,explanation\n"+"".join(f"s{i},{n},{'yes' if s else 'no'},{s},because\n" for i in range(2) for n,s in (("hallucination",i),("relevance",1)))}
S["labelstudio"]={"project.csv":"annotation_id,annotator,created_at,id,lead_time,model_left,model_right,prompt,pw,updated_at\n"+"".join(f"{i},{i%2+1},2025-01-01T10:00:00Z,1{i},3.2,{a},{b},q{i},{w},2025-01-01T10:00:01Z\n" for i,(a,b,w) in enumerate((("gpt","claude","left"),("llama","claude","right"),("gpt","llama","left"))))}
S["mturk"]={"batch.csv":"HITId,HITTypeId,Title,Reward,CreationTime,MaxAssignments,AssignmentId,WorkerId,AssignmentStatus,WorkTimeInSeconds,Input.prompt,Input.model_a,Input.model_b,Answer.choice\n"+"".join(f"H{i},T,Compare,$0.10,Mon Jan 01 10:00:00 PST 2024,3,A{i},W{i%2},Approved,{30+i},p{i},{a},{b},{w}\n" for i,(a,b,w) in enumerate((("gpt","claude","A"),("claude","llama","B"),("gpt","llama","tie"))))}
S["ergast"]={"results.csv":"resultId,raceId,driverId,constructorId,number,grid,position,positionText,positionOrder,points,laps,time,milliseconds,fastestLap,statusId\n"+"".join(f"{k},{r},{d},{d},22,{g},{p},{p},{p},{11-p}.5,58,+5.4,5690616,39,1\n" for k,(r,d,g,p) in enumerate(((18,1,1,1),(18,2,3,2),(18,3,2,3),(19,2,1,1),(19,1,2,2),(19,3,3,3)),1))}
S["nflverse"]={"games.csv":"game_id,season,game_type,week,gameday,weekday,gametime,away_team,away_score,home_team,home_score,location,result,total,overtime,spread_line\n1999_01_MIN_ATL,1999,REG,1,1999-09-12,Sunday,13:00,MIN,17,ATL,14,Home,-3,31,0,-4\n1999_01_KC_CHI,1999,REG,1,1999-09-12,Sunday,13:00,KC,17,CHI,20,Home,3,37,0,-3\n1999_02_ATL_CHI,1999,REG,2,1999-09-19,Sunday,13:00,ATL,10,CHI,10,Home,0,20,1,-3\n"}
S["nba_log"]={"log.csv":"SEASON_ID,TEAM_ID,TEAM_ABBREVIATION,TEAM_NAME,GAME_ID,GAME_DATE,WL,MIN,PTS\n22023,1,BOS,Celtics,001,2024-01-01,W,240,110\n22023,2,LAL,Lakers,001,2024-01-01,L,240,100\n22023,3,NYK,Knicks,002,2024-01-02,W,240,99\n22023,1,BOS,Celtics,002,2024-01-02,L,240,95\n"}
S["spinning_up"]={f"data/{a}/{a}_s{s}/progress.txt":"Epoch\tAverageEpRet\tStdEpRet\tMaxEpRet\tEpLen\tTotalEnvInteracts\tTime\n"+"".join(f"{e}\t{e*10+s}.5\t1.5\t{e*12}.5\t200\t{e*4000}\t{e*3.2}\n" for e in range(3)) for a in ("ppo","sac") for s in (0,1)}
S["ragas"]={f"{m}.csv":"user_input,retrieved_contexts,response,reference,faithfulness,answer_relevancy\n"+"".join(f"q{i},\"['c1', 'c2']\",r,g,{v},1.0\n" for i,v in enumerate(vs)) for m,vs in (("a",(.9,.8)),("b",(.7,.6)))}
S["qualtrics"]={"q.csv":"StartDate,ResponseId,Q1_1,Q1_2\nStart Date,Response ID,Rank - gpt,Rank - claude\n"+",".join(f'"{{""ImportId"":""{k}""}}"' for k in ("startDate","_recordId","QID1_1","QID1_2"))+"\n2024-01-01 10:00:00,R_1,1,2\n2024-01-01 10:00:00,R_2,2,1\n"}
S["wide_spreads"]={"s.csv":"model,mmlu,mmlu_std,arc,arc_stderr\nx,0.5,0.01,0.6,0.02\ny,0.7,0.02,0.5,0.03\n"}
S["optuna"]={"trials.csv":",number,value,datetime_start,datetime_complete,duration,params_lr,state\n0,0,0.8,2024-01-01 10:00:00,2024-01-01 10:01:00,0 days 00:01:00,0.1,COMPLETE\n1,1,0.9,2024-01-01 10:01:00,2024-01-01 10:02:00,0 days 00:01:00,0.2,COMPLETE\n"}
# what is made of the other columns or rows, and numbers that count or describe
S["average_column"]={"s.csv":"model,Avg. Score,law,maths\nx,0.5,0.25,0.75\ny,0.625,0.75,0.5\n"}
S["average_of_agents"]={"s.csv":"task,Mean,x,y\nlaw,0.5,0.25,0.75\nmaths,0.625,0.75,0.5\n"}
S["average_row"]={"s.csv":"task,x,y\nlaw,0.25,0.75\nmaths,0.75,0.5\nAverage,0.5,0.625\n"}
S["total_row"]={"s.csv":"model,law,maths\nx,0.25,0.75\ny,0.75,0.5\nTOTAL,1.0,1.25\n"}
S["mean_row_one_column"]={"s.csv":"model,accuracy\nx,0.25\ny,0.75\nmean,0.5\n"}
S["lmarena_board"]={"lb.csv":"Rank* (UB),Model,Arena Score,95% CI,Votes,Organization,License,Knowledge Cutoff\n1,x,1300,+5/-4,10000,u,MIT,2024/1\n2,y,1280,+5/-4,10001,v,MIT,2024/1\n3,z,1260,+6/-4,9002,u,MIT,2024/2\n"}
S["model_cards"]={"s.csv":"model,params_b,context_length,law,maths,price_per_1m,release_year\nx,7,8192,0.25,0.75,0.1,2024\ny,70,131072,0.75,0.5,0.9,2025\n"}
S["described_tasks"]={"s.csv":"task,n_examples,num_classes,difficulty,x,y\nlaw,157,2,1,0.25,0.75\nmaths,853,3,3,0.75,0.5\n"}
S["ranks_by_task"]={"r.csv":"model,task,rank\nx,law,2\ny,law,1\nx,maths,1\ny,maths,2\n"}
S["predictions"]={"p.csv":"id,label,model_a,model_b\n0,1,1,0\n1,0,0,0\n2,1,0,1\n"}

# Shapes found in public repositories for this corpus: machine translation, retrieval, preferences, robots, contests, benchmarks of speed.
# WMT relative rankings
S["wmt_rnk"]={"wmt.RNK_results.csv":"srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,system3Number,system3Id,system1rank,system2rank,system3rank\ncze,eng,12,d1,12,j1,1,onl-A,2,uedin,3,cu,1,2,3\ncze,eng,13,d1,13,j1,2,uedin,3,cu,1,onl-A,1,1,2\ncze,eng,14,d1,14,j2,3,cu,1,onl-A,2,uedin,2,1,-1\n"}
# WMT DArr
S["wmt_darr_blanks"]={"DArr-seglevel.csv":"LP SID BETTER WORSE\ncs-en 12 uedin.5561 onl-A.0\ncs-en 13 onl-A.0 uedin.5561\ncs-en 14 uedin.5561 cu.5560\n"}
# trec_eval -q
S["trec_eval"]={f"eval/{r}.eval":"".join(f"{m:<22}\t{q}\t{x}\n" for q,a in zip(("301","302"),xs,strict=True) for m,x in (("num_ret",1000),("map",f"{a:.4f}"),("ndcg_cut_10",f"{a+.1:.4f}")))+f"runid                 \tall\t{r}\n"+f"map                   \tall\t{sum(xs)/2:.4f}\n"+f"ndcg_cut_10           \tall\t{sum(xs)/2+.1:.4f}\n" for r,xs in (("bm25",(.25,.35)),("rm3",(.3,.45)))}
# TREC run file
S["trec_run"]={"bm25.run":"301 Q0 FBIS3-10 1 14.2 bm25\n301 Q0 FBIS4-11 2 13.1 bm25\n302 Q0 LA1-1 1 9.9 bm25\n302 Q0 LA1-2 2 9.1 bm25\n"}
# UltraFeedback
S["ultrafeedback"]={"train.jsonl":jl([{"source":"evol_instruct","instruction":f"do {i}","models":["alpaca","gpt-4"],"completions":[{"model":"alpaca","principle":"helpfulness","response":"r","critique":"c","overall_score":5.0+i,"fine-grained_score":3.5,"annotations":{}},{"model":"gpt-4","principle":"honesty","response":"r","critique":"c","overall_score":8.0+i,"fine-grained_score":4.5,"annotations":{}}],"correct_answers":["None"],"incorrect_answers":["None"]} for i in range(3)])}
# HH-RLHF
S["hh_rlhf"]={"train.jsonl":jl([{"chosen":f"\n\nHuman: q{i}\n\nAssistant: good","rejected":f"\n\nHuman: q{i}\n\nAssistant: bad"} for i in range(3)])}
# Nectar
S["nectar"]={"nectar.jsonl":jl([{"prompt":f"Human: q{i}","answers":[{"answer":"x","model":"gpt-4","rank":1},{"answer":"y","model":"llama","rank":3},{"answer":"z","model":"mistral","rank":2}],"turns":1,"num_responses":3,"source":["lmsys"],"good_natured":True} for i in range(2)])}
# binarized UF: chosen-model / rejected-model
S["uf_argilla"]={"d.jsonl":jl([{"source":"x","prompt":f"q{i}","chosen":[{"role":"user","content":"q"}],"chosen-rating":4.5,"chosen-model":a,"rejected":[{"role":"user","content":"q"}],"rejected-rating":2.0,"rejected-model":b} for i,(a,b) in enumerate((("gpt-4","llama"),("llama","alpaca"),("alpaca","gpt-4")))])}
# markdown leaderboard
S["md_board"]={"README.md":"# Board\n\nSome words.\n\n| Rank | Model | MMLU | GSM8K | Params |\n|-----:|:------|-----:|------:|-------:|\n| 1 | **gpt-x** | 81.2 | 90.1 | 70B |\n| 2 | [llama](https://x.y) | 70.0 | 60.5 | 7B |\n| 3 | qwen | 65.3 | 61.0 | 7B |\n\nMore words.\n"}
# codeforces
S["codeforces"]={"standings.json":J({"status":"OK","result":{"contest":{"id":1,"name":"Round"},"problems":[{"index":"A"},{"index":"B"}],"rows":[{"party":{"contestId":1,"members":[{"handle":h}],"participantType":"CONTESTANT"},"rank":r,"points":p,"penalty":0,"problemResults":[{"points":p/2,"rejectedAttemptCount":0,"type":"FINAL","bestSubmissionTimeSeconds":100},{"points":p/2,"type":"FINAL"}]} for h,r,p in (("tourist",1,3000.0),("petr",2,2500.0),("jiangly",3,2000.0))]}})}
# artificial analysis
S["artificial_analysis"]={"aa.json":J({"status":200,"prompt_options":{"parallel_queries":1},"data":[{"id":f"2dad8957-4c16-4e74-bf2d-8b21514e0ae{k}","name":n,"slug":n.lower(),"model_creator":{"id":"e67e","name":"O","slug":"o"},"evaluations":{"artificial_analysis_intelligence_index":60+k,"mmlu_pro":.7+.1*k,"gpqa":.6+.05*k},"pricing":{"price_1m_blended_3_to_1":1.9,"price_1m_input_tokens":1.1},"median_output_tokens_per_second":150.0+k,"median_time_to_first_token_seconds":14.9} for k,n in enumerate(("O3","Flash","Nova"))]})}
# LiveCodeBench performances
S["lcb_site"]={"performances_generation.json":J({"performances":[{"question_id":f"abc{i}","model":m,"date":1700000000000+i,"difficulty":"easy","pass@1":v,"platform":"atcoder"} for m,vs in (("GPT-4o",(100.0,50.0)),("Llama",(0.0,50.0))) for i,v in enumerate(vs)],"models":[{"model_name":"x"}],"date_marks":[1]})}
# METR runs
S["metr"]={"runs.jsonl":jl([{"task_family":"f","task_id":f"f/t{i}","run_id":f"r{k}{i}","alias":a,"model":m,"score_binarized":v,"score_cont":v*.9,"fatal_error_from":None,"human_minutes":3.5+i,"human_score":1.0,"human_source":"baseline","task_source":"HCAST","generation_cost":.5,"human_cost":20.0,"time_limit":None,"started_at":1.7e12,"completed_at":1.7e12+5,"task_version":"1","equal_task_weight":.1,"invsqrt_task_weight":.05} for k,(a,m,vs) in enumerate((("GPT-4","gpt-4",(1,0,1)),("Claude","claude",(1,1,1)))) for i,v in enumerate(vs)])}
# LeRobot eval_info
S["lerobot"]={f"outputs/{p}/eval_info.json":J({"per_episode":[{"episode_ix":i,"sum_reward":10.0*i+k,"max_reward":.5+.1*i,"success":bool((i+k)%2),"seed":1000+i} for i in range(3)],"aggregated":{"avg_sum_reward":10.0+k,"avg_max_reward":.6,"pc_success":50.0,"eval_s":20.1,"eval_ep_s":2.0}}) for k,p in enumerate(("act","diffusion"))}
# pyterrier per query
S["pyterrier"]={"res.csv":"name,qid,measure,value\n"+"".join(f"{n},{q},{m},{v}\n" for n,b in (("BM25",.2),("DPH",.3)) for q in ("q1","q2") for m,v in (("map",b),("ndcg",b+.1)))}
# openrouter rankings style
S["openrouter"]={"rankings.csv":"date,model_permaslug,variant,total_completion_tokens,total_prompt_tokens,count\n2025-01-01,openai/gpt-4o,standard,1000,2000,30\n2025-01-01,meta/llama,standard,900,1800,20\n"}
# google benchmark
S["google_benchmark"]={"gb.json":J({"context":{"date":"2025-01-01","host_name":"h","num_cpus":8},"benchmarks":[{"name":n,"run_name":n,"run_type":"iteration","repetitions":2,"repetition_index":r,"threads":1,"iterations":1000,"real_time":t+r,"cpu_time":t+r,"time_unit":"ns"} for n,t in (("BM_Sort/8",50.0),("BM_Radix/8",30.0)) for r in range(2)]})}
# pytest-benchmark
S["pytest_benchmark"]={"pb.json":J({"machine_info":{},"datetime":"2025","version":"4","benchmarks":[{"group":None,"name":n,"fullname":"t.py::"+n,"params":None,"stats":{"min":t,"max":t*2,"mean":t*1.2,"stddev":.01,"rounds":5,"median":t*1.1,"ops":1/t,"data":[t,t*1.5,t*2]}} for n,t in (("test_a",.1),("test_b",.2))]})}
S["league"]={"table.csv":"Pos,Team,P,W,D,L,GF,GA,GD,Pts\n1,City,38,28,5,5,94,33,61,89\n2,Arsenal,38,26,6,6,88,43,45,84\n3,United,38,23,6,9,58,43,15,75\n"}
S["engine_table"]={"t.csv":"Rank,Name,Elo,+/-,Games,Wins,Losses,Draws,Points,Score,Draw\n1,gun,149,71,74,41,11,22,52.0,70.3%,29.7%\n2,deep,-53,59,73,14,25,34,31.0,42.5%,46.6%\n3,shallow,-143,67,72,10,40,22,21.0,29.2%,30.6%\n"}
S["aider_json"]={"table.json":J([{"dirname":f"2025-01-0{i}--{m}","test_cases":225,"model":m,"edit_format":"diff","pass_rate_1":a,"pass_rate_2":b,"percent_cases_well_formed":99.6,"error_outputs":i,"num_malformed_responses":1,"seconds_per_case":17.5,"total_cost":14.4,"date":"2025-01-01"} for i,(m,a,b) in enumerate((("sonnet",22.2,51.6),("gpt-4o",4.9,18.2)),1)])}
S["wmt_da"]={"cells.csv":"SYS,SEGID,RAW.SCR,Z.SCR,N\n"+"".join(f"{s},{i},{v+i},{(v+i-60)/20},{n}\n" for s,v in (("uedin.5561",70.5),("cu.5560",50.5)) for i,n in ((12,2),(13,1),(14,3)))}
S["wmt_darr"]={"cells.csv":"LP,SID,BETTER,WORSE\ncs-en,12,uedin,onl-A\ncs-en,13,onl-A,uedin\ncs-en,14,uedin,cu\n"}
S["average_task_long"]={"s.csv":"model,task,score\n"+"".join(f"{m},{t},{v}\n" for m,v in (("x",0.25),("y",0.5)) for t,v in (("law",v),("bio",v+0.25),("Average",v+0.125)))}
S["average_agent_long"]={"s.csv":"model,task,score\n"+"".join(f"{m},{t},{v+d}\n" for m,v in (("x",0.25),("Average",0.375),("y",0.5)) for t,d in (("law",0),("bio",0.25)))}
S["total_item_long"]={"s.csv":"model,question_id,correct\n"+"".join(f"{m},{q},{v}\n" for m,vs in (("x",(1,0,1)),("y",(1,1,1))) for q,v in (*((f"q{i}",v) for i,v in enumerate(vs)),("Total",sum(vs))))}
S["hyperfine"]={"bench.json":J({"results":[{"command":c,"mean":t,"stddev":.01,"median":t,"user":.1,"system":.1,"min":t,"max":t,"times":[t,t+.25],"exit_codes":[0,0]} for c,t in (("grep",.5),("rg",.25))]})}
S["hyperfine_csv"]={"bench.csv":"command,mean,stddev,median,user,system,min,max\ngrep,0.5,.01,.51,.4,.1,.4,.6\nrg,0.25,.01,.26,.2,.02,.2,.3\n"}
S["fund_of_games"]={"games.csv":"game_id,agent,final_tokens,carry_over_fund\n"+"".join(f"{g},{a},{t+g},{g}\n" for g in (3,5) for a,t in (("x",9),("y",4)))}
S["lerobot_tasks"]={f"eval/{p}/eval_info.json":J({"per_task":[{"task_group":"libero","task_id":t,"metrics":{"sum_rewards":[1.0,2.0],"successes":[bool(k),t==0]}} for t in (0,1)],"overall":{"pc_success":50.0}}) for k,p in enumerate(("act","pi0"))}

# shapes of public files that nobody had looked at before, in their authors' form with other values
S["ncaa"]={"MNCAATourneyCompactResults.csv":"Season,DayNum,WTeamID,WScore,LTeamID,LScore,WLoc,NumOT\n2024,134,1101,75,1102,60,N,0\n2024,134,1103,80,1104,70,N,1\n2024,136,1101,66,1103,61,N,0\n2024,137,1104,66,1102,61,H,0\n"}
S["ufc"]={"ufc-master.csv":"R_fighter,B_fighter,date,location,Winner,title_bout,weight_class,R_odds,B_odds,R_wins,B_wins,R_losses,B_losses\nAnn,Bea,2024-01-20,Vegas,Red,False,Fly,-150,130,5,3,1,2\nCyd,Ann,2024-02-20,Paris,Blue,True,Fly,110,-120,2,6,2,1\nBea,Cyd,2024-03-20,Vegas,Red,False,Fly,-110,100,3,2,3,3\n"}
S["lichess"]={"games.csv":"id,rated,created_at,last_move_at,turns,victory_status,winner,increment_code,white_id,white_rating,black_id,black_rating,moves,opening_eco,opening_name,opening_ply\nTZ1,FALSE,1.50421E+12,1.50421E+12,13,outoftime,white,15+2,ann,1500,bea,1191,d4 d5,D10,Slav,5\nTZ2,TRUE,1.50413E+12,1.50413E+12,16,resign,black,5+10,cyd,1322,ann,1261,e4 e5,B00,Nimz,4\nTZ3,TRUE,1.50413E+12,1.50413E+12,61,draw,draw,5+10,bea,1496,cyd,1500,e4 e5,C20,King,3\n"}
S["opendota"]={"matches.csv":"match_id,radiant_win,start_time,duration,radiant_team_name,dire_team_name,radiant_score,dire_score,leagueid\n1,True,1700000000,2400,OG,Liquid,35,20,1\n2,False,1700003600,2500,OG,Spirit,20,33,1\n3,True,1700007200,1800,Liquid,Spirit,41,12,1\n"}
S["pickapic"]={"pick.jsonl":jl([{"are_different":True,"best_image_uid":f"u{i}a","caption":f"a cat {i}","created_at":"2023-01-01T00:00:00","has_label":True,"image_0_uid":f"u{i}a","image_1_uid":f"u{i}b","label_0":l,"label_1":1-l,"model_0":a,"model_1":b,"ranking_id":i,"user_id":i%2,"num_example_per_prompt":3} for i,(a,b,l) in enumerate((("sdxl","dream",1.0),("dream","sd21",0.0),("sd21","sdxl",0.5)))])}
S["voicemos"]={"DATA/sets/train_mos_list.txt":"sys00691-utt0682e10.wav,2.625\nsys00691-utt30b9dd1.wav,3.5\nsys4bafa-utt0682e10.wav,4.125\nsys4bafa-utt30b9dd1.wav,3.75\n"}
S["benchexec"]={"results.table.csv":"tool\tCPAchecker 2.2\tCPAchecker 2.2\tCBMC 5.5\tCBMC 5.5\nrun set\tSV-COMP\tSV-COMP\tSV-COMP\tSV-COMP\ntasks/\tstatus\tcputime (s)\tstatus\tcputime (s)\na.yml\ttrue\t12.5\ttrue\t3.25\nb.yml\tfalse(unreach-call)\t7.5\tTIMEOUT\t901.5\n"}
S["azure_eval"]={f"{m}.json":J({"rows":[{"inputs.query":f"q{i}","inputs.response":"r","inputs.ground_truth":"g","outputs.relevance.relevance":v,"outputs.relevance.gpt_relevance":v,"outputs.relevance.relevance_reason":"ok","outputs.relevance.relevance_result":"pass","outputs.relevance.relevance_threshold":3} for i,v in enumerate(vs)],"metrics":{"relevance.relevance":4.0,"relevance.binary_aggregate":1.0},"studio_url":None}) for m,vs in (("base",(3.0,4.0)),("tuned",(5.0,4.0)))}
S["bigcode"]={"code_eval_board.csv":",T,Models,Size (B),Win Rate,Throughput (tokens/s),Seq_length,#Languages,humaneval-python,java,cpp,Throughput (tokens/s) bs=50,Peak Memory (MB),models_query,Links,Submission PR\n0,x,DeepSeek-33b,33.0,40.25,25.2,16384,86,52.45,43.77,51.28,,,DeepSeek-33b,http://x,\n1,y,CodeLlama-70b,70.0,37.5,,4096,,75.6,47.25,49.69,,,CodeLlama-70b,http://y,\n2,z,StarCoder,15.0,30.5,43.9,8192,86,33.57,30.22,31.55,1490.0,33461,StarCoder,http://z,\n"}
S["evalscope_reviews"]={f"outputs/20260101/reviews/{m}/gsm8k_main.jsonl":jl([{"index":i,"target":"18","messages":[{"role":"user","content":"q"}],"agent_trace":None,"sample_score":{"score":{"value":{"acc":v},"extracted_prediction":"18","prediction":"18","explanation":None,"metadata":{},"main_score_name":"acc"},"sample_id":i,"group_id":i,"generation_index":0,"sample_metadata":{"reasoning":"x"}}} for i,v in enumerate(vs)]) for m,vs in (("qwen",(1.0,0.0,1.0)),("llama",(0.0,0.0,1.0)))}
S["evalscope_report"]={f"outputs/20260101/reports/{m}/gsm8k.json":J({"schema_version":2,"name":f"{m}@gsm8k","dataset_name":"gsm8k","dataset_pretty_name":"GSM8K","dataset_description":"d","model_name":m,"metrics":[{"name":"mean_acc","num":3,"score":v,"macro_score":v,"categories":[{"name":["default"],"num":3,"score":v,"macro_score":v,"subsets":[{"name":"main","score":v,"num":3,"is_aggregate":False}]}]}],"analysis":"N/A","num":3,"score":v}) for m,v in (("qwen",.6667),("llama",.3333))}
S["livebench_judgments"]={"data/live_bench/math/AMPS_Hard/model_judgment/ground_truth_judgment.jsonl":jl([{"question_id":f"q{i}","task":"AMPS_Hard","model":m,"score":v,"turn":1,"tstamp":1719500000.5+i,"category":"math"} for m,vs in (("gpt",(1.0,0.0,1.0)),("llama",(0.0,0.0,1.0))) for i,v in enumerate(vs)])}
S["vlmeval_result"]={f"outputs/{m}/{m}_MMBench_DEV_EN_result.csv":"index,question,hint,A,B,C,D,answer,category,l2-category,split,prediction,hit,log\n"+"".join(f"{i},what,,a,b,c,d,A,shape,cp,dev,A,{v},Match\n" for i,v in zip((241,252,277),vs,strict=True)) for m,vs in (("llava",(1,0,1)),("qwenvl",(1,1,1)))}
S["rcv"]={"cvr.csv":"Cast Vote Record,Precinct,Ballot Style,Mayor Choice 1 of 3,Mayor Choice 2 of 3,Mayor Choice 3 of 3\n1,P1,BS1,Ann,Bob,Cyd\n2,P1,BS1,Bob,undervote,undervote\n3,P2,BS1,Cyd,Ann,overvote\n"}
S["eurovision"]={"votes.csv":"year,round,from_country_id,to_country_id,from_country,to_country,total_points,tele_points,jury_points\n2024,final,at,ch,at,ch,18,8,10\n2024,final,at,hr,at,hr,22,12,10\n2024,final,de,ch,de,ch,12,0,12\n2024,final,de,hr,de,hr,12,12,0\n"}
S["lm_eval_samples_only"]={"samples_gsm8k_2026-01-01T00-00-00.jsonl":jl([{"doc_id":i,"doc":{"question":"q"},"target":"3","arguments":{},"resps":[["3"]],"filtered_resps":["3"],"filter":"strict-match","metrics":["exact_match"],"doc_hash":f"h{i}","prompt_hash":"p","target_hash":"t","exact_match":v} for i,v in enumerate((1.0,0.0,1.0))])}
S["swebench_site"]={"leaderboards.json":J({"leaderboards":[{"name":"Verified","results":[{"name":"mini-SWE + gpt","folder":"2025_gpt","resolved":65.0,"date":"2025-08-07","os_model":False,"cost":140.5,"instance_cost":.28,"instance_calls":19,"tags":["Model: gpt"],"per_instance_details":{"django__django-1":{"resolved":True,"cost":.4,"api_calls":19},"django__django-2":{"resolved":False,"cost":.4,"api_calls":19}}},{"name":"mini-SWE + sonnet","folder":"2025_sonnet","resolved":70.6,"date":"2025-09-29","os_model":False,"cost":279.5,"instance_cost":.56,"instance_calls":39,"tags":["Model: sonnet"],"per_instance_details":{"django__django-1":{"resolved":True,"cost":.4,"api_calls":19},"django__django-2":{"resolved":True,"cost":.4,"api_calls":19}}}]},{"name":"Lite","results":[]}]})}
S["openllm_v2"]={"open-llm-leaderboard.csv":"eval_name,Precision,Type,T,Weight type,Architecture,Model,fullname,Model sha,Average ⬆️,Hub License,Hub ❤️,#Params (B),Available on the hub,MoE,Flagged,Chat Template,CO₂ cost (kg),IFEval Raw,IFEval,BBH Raw,BBH,MATH Lvl 5 Raw,MATH Lvl 5,Merged,Official Providers,Upload To Hub Date,Submission Date,Generation,Base Model\n"+"".join(f"{m}_bfloat16,bfloat16,chat,x,Original,Llama,<a href=x>{m}</a>,org/{m},abc,{a},mit,{h},{p},True,False,False,True,{c},{i},{i*100},{b},{b*100-20},{d},{d*100},False,True,2024-06-01,2024-06-26,{g},org/base\n" for m,a,h,p,c,i,b,d,g in (("x",30.5,17,7.2,1.5,.5,.45,.25,1),("y",40.5,170,70.5,9.5,.75,.65,.5,0),("z",10.5,1,1.5,.5,.25,.35,.0,0)))}
S["epoch"]={"gpqa_diamond.csv":"Model version,Best score (across scorers),Release date,Organization,Country,Training compute (FLOP),Training compute notes,stderr,Name,Logs,Started at,id\n"+"".join(f"{m},{s},2024-01-0{i},Org,USA,{f},,0.02,{m},http://x,2024-05-01T10:00:00.000Z,rec{i}\n" for i,(m,s,f) in enumerate((("gpt-x",.75,"2.1e25"),("llama-y",.5,"3.8e25"),("qwen-z",.625,"")),1))}
S["lmsys_table"]={"leaderboard_table_20240527.csv":"key,Model,MT-bench (score),MMLU,Knowledge cutoff date,License,Organization,Link\nwizardlm-30b,WizardLM-30B,7.01,0.587,2023/6,Non-commercial,Microsoft,http://x\nvicuna-13b,Vicuna-13B,6.57,0.558,2023/7,Llama 2,LMSYS,http://y\npalm-2,PaLM,6.4,-,2021/6,Prop,Google,-\n"}
S["gaia_submission"]={"submission.jsonl":jl([{"task_id":f"t{i}","model_answer":str(i),"reasoning_trace":"x"} for i in range(3)])}
S["gaia_board"]={"results.csv":"model,model_family,organisation,url,score,score_level1,score_level2,score_level3,date\n"+"".join(f"{m},gpt,org,http://x,{s},{a},{b},{c},2025-01-01\n" for m,s,a,b,c in (("agent-x",.5,.75,.5,.25),("agent-y",.4,.6,.4,.2),("agent-z",.3,.5,.25,.15)))}
S["alpaca_board"]={"leaderboard.csv":",win_rate,standard_error,n_wins,n_wins_base,n_draws,n_total,discrete_win_rate,mode,avg_length,length_controlled_winrate,lc_standard_error\n"+"".join(f"{m},{w},1.5,{n},{805-n},0,805,{w+1},minimal,{l},{lc},0.5\n" for m,w,n,l,lc in (("gpt4",50.0,400,2049,50.0),("llama",33.25,260,1919,34.5),("falcon",5.5,40,1000,7.25)))}
S["mixeval"]={"score.json":J({"gpt-4o":{"overall score (final score)":.88,"TriviaQA":.9,"MMLU":.84,"DROP":.91},"llama":{"overall score (final score)":.7,"TriviaQA":.75,"MMLU":.71,"DROP":.66}})}
S["tennis_data_uk"]={"2024.csv":"ATP,Location,Tournament,Date,Series,Court,Surface,Round,Best of,Winner,Loser,WRank,LRank,WPts,LPts,W1,L1,W2,L2,Wsets,Lsets,Comment,B365W,B365L\n1,Brisbane,Intl,2024-01-01,ATP250,Outdoor,Hard,1st Round,3,Ann A.,Bea B.,10,30,2000,900,6,4,6,3,2,0,Completed,1.5,2.5\n1,Brisbane,Intl,2024-01-02,ATP250,Outdoor,Hard,2nd Round,3,Cyd C.,Ann A.,50,10,700,2000,6,4,7,6,2,0,Completed,3.5,1.25\n"}
S["mlperf"]={"summary.csv":"Public ID,Organization,Availability,Division,SystemType,SystemName,Platform,Model,MlperfModel,Scenario,Result,Accuracy,number_of_nodes,host_processor_model_name,Units\n4.0-01,NV,available,closed,datacenter,H100,H100,bert-99,bert-99,Offline,70000.5,F1: 90.9,1,Xeon,Samples/s\n4.0-01,NV,available,closed,datacenter,H100,H100,resnet,resnet,Offline,700000,acc: 76.1,1,Xeon,Samples/s\n4.0-02,AMD,available,closed,datacenter,MI300,MI300,bert-99,bert-99,Offline,60000.5,F1: 90.9,1,Epyc,Samples/s\n4.0-02,AMD,available,closed,datacenter,MI300,MI300,resnet,resnet,Offline,600000,acc: 76.1,1,Epyc,Samples/s\n"}
S["lol"]={"oracle.csv":"gameid,datacompleteness,league,year,date,patch,participantid,side,position,playername,teamname,champion,gamelength,result,kills,deaths\n"+"".join(f"G{g},complete,LCK,2024,2024-01-1{g} 08:00:00,14.01,{100 if s=='Blue' else 200},{s},team,,{t},,1800,{r},{k},{d}\n" for g,rows in enumerate([(("Blue","T1",1,12,5),("Red","GEN",0,5,12)),(("Blue","HLE",0,4,9),("Red","T1",1,9,4)),(("Blue","GEN",1,8,7),("Red","HLE",0,7,8))]) for s,t,r,k,d in rows)}

def verifiers(model, rs):
    """A run of verifiers."""
    return {f"outputs/evals/gsm8k--{model.replace('/','--')}/ab12/results.jsonl":jl([{"example_id":i,"prompt":[{"role":"user","content":f"q{i}"}],"completion":[{"role":"assistant","content":"x"}],"answer":"3","reward":r,"timing":{"total_ms":300.5},"is_completed":True,"is_truncated":False,"stop_condition":"done","metrics":{"correct":r,"format":1.0},"correct":r,"format":1.0,"token_usage":{"input_tokens":30.0,"output_tokens":50.0}} for i,two in enumerate(rs) for r in two]),f"outputs/evals/gsm8k--{model.replace('/','--')}/ab12/metadata.json":J({"env_id":"gsm8k","env_args":{},"model":model,"base_url":"https://x","num_examples":2,"rollouts_per_example":2,"sampling_args":{},"date":"2026-01-01","time":3.5,"avg_reward":.5,"avg_metrics":{"correct":.5}})}
S["verifiers"]={**verifiers("openai/gpt-a",[(1.0,0.0),(1.0,1.0)]),**verifiers("openai/gpt-b",[(0.0,0.0),(1.0,0.0)])}
S["arena_hard_board"]={"arena_hard_leaderboard.csv":"model,score,rating_q025,rating_q975,CI,avg_tokens,date\n"+"".join(f'{m},{v},{v-1.5},{v+1.75},"(-1.50, +1.75)",{t},2024-07-31\n' for m,v,t in (("gpt",82.5,662.0),("claude",79.25,567.0),("llama",46.5,611.0)))}
S["openrlbenchmark"]={"baseline_vs_cleanrl.csv":",CleanRL PPO,openai/baselines PPO2\nHalfCheetah-v2,2262.50 ± 1196.81,1428.55 ± 62.40\nHopper-v2,2311.49 ± 440.99,2158.65 ± 302.33\nWalker2d-v2,3312.32 ± 429.87,3356.49 ± 322.61\n"}
S["open_asr"]={"multilingual.csv":"model,Model size (B),RTFx,Avg. WER,de WER,fr WER,it WER\n"+"".join(f"{m},{b},{r},{(d+f+i)/3},{d},{f},{i}\n" for m,b,r,d,f,i in (("scribe",-1,-1,2.5,4.5,2.0),("canary",2.5,524.75,3.5,5.0,3.5)))}
S["atp_doubles"]={"atp_matches_doubles.csv":"tourney_id,surface,tourney_date,match_num,winner1_id,winner2_id,winner_seed,winner_entry,loser1_id,loser2_id,loser_seed,loser_entry,score,winner1_name,winner2_name,loser1_name,loser2_name\n"+"".join(f"2020-1,Hard,20200106,{k},{k},{k+1},1,{e},{k+2},{k+3},,{f},6-4 6-4,Ann{k},Bea{k},Cyd{k},Dee{k}\n" for k,e,f in ((300,"","" ),(299,"WC","PR"),(298,"",""),(297,"",""),(296,"",""),(295,"Q","WC"),(294,"","")))}
S["wildbench"]={f"eval=gpt-4o/{m}.json":J([{"session_id":f"ae{i}","parsed_result":{"strengths":"s","weaknesses":"w","score":str(v)},"meta_data":{"usage":{"prompt_tokens":900+i}},"model_output":"text","model_test":m,"score":str(v)} for i,v in enumerate(vs)]) for m,vs in (("gemma-2b",(1,4,6)),("gemma-7b",(2,5,6)))}
S["swe_info"]={"info_for_leaderboard.json":J({m:{f"django__django-{i}":{"resolved":bool(v),"cost":.25+i,"api_calls":19+i} for i,v in enumerate(vs)} for m,vs in (("gpt-5",(1,0,1)),("sonnet",(1,1,1)))})}
S["gift_eval"]={"all_results.csv":"dataset,model,eval_metrics/MSE[mean],eval_metrics/MASE[0.5],eval_metrics/MAPE[0.5],domain,num_variates\nm4_yearly/A/short,CHARM,9.5,7.5,0.25,Econ/Fin,1\nm4_quarterly/Q/short,CHARM,2.5,1.5,0.125,Econ/Fin,1\nelectricity/H/short,CHARM,4.5,1.25,0.5,Energy,1\n"}
S["winner_again"]={"joined.csv":"winner_name,loser_name,surface\nx,y,Hard\ny,x,Clay\nwinner_name,loser_name,surface\nx,y,Hard\n"}
S["mixed_line_ends"]={"m.csv":"model,law,maths\r\nx,0.25,0.75\r\ny,0.5,0.75\nz,0.5,0.25\n"}
S["spoilt_results"]={"r.csv":"task,framework,fold,result,metric,acc\n"+"".join(f"law,{f},{k},$0.{k+8},auc,0.{k+1}\n" for f in ("a","b") for k in (0,1))}
S["vlmeval_acc"]={f"outputs/{m}/{m}_MMBench_DEV_EN_acc.csv":f'"split","Overall","AR","CP","FP-C"\n"dev","{v}","{v+.05}","{v-.05}","{v-.1}"\n' for m,v in (("llava",.65),("qwenvl",.75))}
S["wandb_chart"]={"wandb_export_2026-01-01T10_00_00.000+01_00.csv":'"Step","ppo-s1 - eval/return","ppo-s1 - eval/return__MIN","ppo-s1 - eval/return__MAX","sac-s1 - eval/return","sac-s1 - eval/return__MIN","sac-s1 - eval/return__MAX"\n'+"".join(f'"{s}","{s+1.5}","{s+1}","{s+2}","{s+3.5}","{s+3}","{s+4}"\n' for s in (0,100,200))}
S["asr_board"]={"multilingual.csv":"model,Model size (B),RTFx,de_covost,fr_mls,Avg\n"+"".join(f"m{i},{i}.5,{500-i},{2+i}.5,{3+i}.5,{3+i}\n" for i in range(5))}
S["metrics_of_tasks"]={"r.csv":"task,accuracy,f1\nlaw,0.5,0.25\nbio,0.75,0.5\n"}

# what the last of these tools were tried with
S["promptfoo_csv"]={"results.csv":'question,[openai:gpt-4o] Answer: {{question}},[anthropic:claude] Answer: {{question}}\n"2+2?","[PASS] (1.00) 4","[FAIL] (0.50) five\n---\nExpected output to equal 4"\n"3+3?","[PASS] (1.00) 6","[PASS] (1.00) 6"\n'}
S["promptfoo_csv_columns"]={"results.csv":'question,[openai:gpt-4o] Answer,Status,Score,Named Scores,Grader Reason,Comment,[anthropic:claude] Answer,Status,Score,Named Scores,Grader Reason,Comment\nq1,4,PASS,1.00,{},ok,,5,FAIL,0.50,{},no,\nq2,6,PASS,1.00,{},ok,,6,PASS,1.00,{},ok,\n'}
S["inspect_samples_df"]={"samples.csv":"sample_id,eval_id,log,id,epoch,input,target,metadata_level,score_match,model_usage,total_tokens,total_time,working_time,message_count,error,limit,retries\n"+"".join(f"{e}s{i},{e},/logs/2026_{e}.eval,{i},1,what,x,{i},{v},{{}},{100+i},1.5,1.25,2,,,0\n" for e,vs in (("E1","CIC"),("E2","CCC")) for i,v in enumerate(vs,1))}
S["inspect_samples_model"]={"samples.csv":"sample_id,eval_id,task_name,model,id,epoch,input,target,score_match,score_f1,total_tokens,total_time,working_time\n"+"".join(f"{m}s{i},E{m},arc,openai/{m},{i},1,what,x,{v},{v/2},{100+i},1.5,1.25\n" for m,vs in (("a",(1.0,0.0,1.0)),("b",(1.0,1.0,1.0))) for i,v in enumerate(vs,1))}
S["helm_page"]={"helm.csv":"Model,Mean win rate,NarrativeQA - F1,NaturalQuestions (open) - F1,MMLU - EM,GSM8K - EM,WMT 2014 - BLEU-4\nGPT-4o,0.95,0.8,0.75,0.74,0.9,0.24\nLlama 3,0.6,0.75,0.5,0.7,-,0.22\nMistral,0.3,0.7,0.25,0.5,0.4,0.2\n"}
S["summeval"]={"model_annotations.aligned.jsonl":jl([{"id":f"dm-test-{i}","decoded":"a summary","expert_annotations":[{"coherence":c+k,"consistency":5,"fluency":4,"relevance":c} for k in (0,1)],"turker_annotations":[{"coherence":3,"consistency":3,"fluency":3,"relevance":3}],"references":["r"],"model_id":m,"filepath":f"cnndm/{i}.story"} for m,c in (("M11",2),("M23",3)) for i in (0,1)])}
S["osworld"]={f"results/pyautogui/screenshot/{m}/{a}/{t}/result.txt":f"{v}\n" for m,vs in (("gpt-4o",(1.0,0.0,1.0)),("claude",(1.0,1.0,0.0))) for (a,t),v in zip((("chrome","bb5e4c0d"),("chrome","7b6c7e24"),("gimp","554785e9")),vs,strict=True)}
S["judgebench"]={f"outputs/dataset=judgebench,response_model=gpt-4o,judge_name=arena_hard,judge_model={j}.jsonl":jl([{"pair_id":f"p{i}","original_id":i,"source":"mmlu-pro-law","question":"q","response_model":"gpt-4o","response_A":"a","response_B":"b","label":l,"judge_name":"arena_hard","judgments":[{"judgment":{"judge_model":j},"decision":d},{"judgment":{"judge_model":j},"decision":e}]} for i,(l,d,e) in enumerate(rows)]) for j,rows in (("haiku",(("A>B","A>B","B>A"),("B>A","A>B","A>B"),("A>B","A>B","A>B"))),("o1",(("A>B","A>B","B>A"),("B>A","B>A","A>B"),("A>B","A=B","B>A"))))}
S["wmt_esa"]={"esa.csv":"".join(f'engjpn{u},{s},{i},TGT,eng,jpn,{v},doc{i%2},False,"[{{""start_i"":{i},""severity"":""minor""}}]",1724108{i}87.807,1724108{i}88.639\n' for u in ("7904","7905") for s,vs in (("NTTSU",(98,91,84)),("refA",(97,95,80))) for i,v in zip((688,689,690),vs,strict=True))}
S["clickbench"]={f"{s}/results/c6a.json":J({"system":s,"date":"2025-11-28","machine":"c6a.4xlarge","cluster_size":1,"proprietary":"no","tuned":"no","tags":["C++"],"load_time":140.5,"data_size":14779976446,"result":r}) for s,r in (("ClickHouse",[[.5,.25,.25],[1.5,1.0,.75]]),("DuckDB",[[.25,.125,.125],[2.5,2.0,None]]))}
S["monitor_one"]={"monitor.csv":'#{"t_start": 1600000000.0, "env_id": "CartPole-v1"}\nr,l,t\n20.0,20,1.2\n22.0,22,2.2\n'}
# further public shapes
S["human_eval"]={f"{m}.jsonl_results.jsonl":jl([{"task_id":f"HumanEval/{i}","completion":"return 1","result":"passed" if v else "failed: x","passed":v} for i,v in enumerate(vs)]) for m,vs in (("gpt",(True,True,False)),("llama",(True,False,False)))}
S["hf_trainer"]={f"out/{m}/all_results.json":J({"epoch":3.0,"eval_accuracy":a,"eval_loss":l,"eval_runtime":3.5,"eval_samples":872,"eval_samples_per_second":240.5,"eval_steps_per_second":30.1,"train_loss":l/2,"train_runtime":300.5,"train_samples":67349,"train_samples_per_second":600.5}) for m,a,l in (("bert",.925,.25),("roberta",.95,.2))}
S["ultralytics"]={f"runs/detect/{m}/results.csv":"                  epoch,      train/box_loss,         train/cls_loss,   metrics/precision(B),       metrics/mAP50(B),    metrics/mAP50-95(B),           val/box_loss,               lr/pg0\n"+"".join(f"                  {e},   {2-e/10},    {3-e/10},   {.5+e/10+d},   {.4+e/10+d},   {.2+e/10+d},   {1.9-e/10},  0.01\n" for e in (1,2,3)) for m,d in (("yolov8n",0),("yolov8s",.05))}
S["movielens"]={"ratings.csv":"userId,movieId,rating,timestamp\n"+"".join(f"{u},{m},{v},9649827{u}{m}\n" for u,row in ((1,((1,4.0),(3,3.5),(6,5.0))),(2,((1,3.0),(3,2.5))),(3,((3,4.0),(6,4.5)))) for m,v in row)}
S["summarize_feedback"]={"batch3.json":jl([{"info":{"id":f"t3_{i}","post":"p","title":"t","subreddit":"x"},"split":"train","summaries":[{"text":"a","policy":a,"note":"n"},{"text":"b","policy":b,"note":"n"}],"choice":c,"worker":f"w{i%2}","batch":"batch3","extra":{"confidence":3}} for i,(a,b,c) in enumerate((("sup4","ref",1),("ref","sup4",0),("sup4","ppo",1),("ppo","ref",0)))])}
S["nba_elo"]={"nba_elo.csv":"date,season,neutral,playoff,team1,team2,elo1_pre,elo2_pre,elo_prob1,elo_prob2,elo1_post,elo2_post,score1,score2\n2022-10-18,2023,0,,BOS,PHI,1657.5,1582.5,0.7,0.3,1662.5,1577.5,126,117\n2022-10-18,2023,0,,GSW,LAL,1660.5,1442.5,0.85,0.15,1663.5,1439.5,123,109\n2022-10-20,2023,0,,LAL,BOS,1439.5,1662.5,0.3,0.7,1430.5,1671.5,97,103\n"}
S["imo"]={"results.csv":"country,contestant,p1,p2,p3,p4,p5,p6,total,rank,award\nCHN,Ann,7,7,7,7,7,7,42,1,Gold medal\nCHN,Bob,7,7,2,7,7,1,31,2,Gold medal\nKOR,Cyd,7,3,0,7,2,0,19,3,Bronze medal\nKOR,Dee,7,2,0,7,1,0,17,4,Bronze medal\n"}
S["longbench"]={f"pred/{m}/result.json":J({"narrativeqa":v,"qasper":v+10.25,"hotpotqa":v+5.5}) for m,v in (("llama2-7b",18.5),("chatglm3",26.25))}
S["ruler"]={f"{m}/summary.csv":f"0,1,2,3\nTasks,niah_single_1,niah_multikey_1,vt\nScore,{v},{v-10.5},{v-20.5}\nNulls,0/500,0/500,0/500\n" for m,v in (("llama",100.0),("qwen",90.0))}
S["sklearn_cv"]={"cv_results.csv":",mean_fit_time,std_fit_time,mean_score_time,std_score_time,param_C,params,split0_test_score,split1_test_score,mean_test_score,std_test_score,rank_test_score\n0,0.01,0.001,0.002,0.0001,0.1,{'C': 0.1},0.8,0.9,0.85,0.05,2\n1,0.02,0.001,0.002,0.0001,1.0,{'C': 1.0},0.9,0.95,0.925,0.025,1\n"}
S["jmh"]={"jmh-result.json":J([{"jmhVersion":"1.37","benchmark":f"org.x.Bench.{n}","mode":"avgt","threads":1,"forks":1,"warmupIterations":5,"measurementIterations":2,"primaryMetric":{"score":t,"scoreError":.5+t/100,"scoreConfidence":[t-.5,t+.5],"scorePercentiles":{"0.0":t},"scoreUnit":"ns/op","rawData":[[t-.25,t+.25]]},"secondaryMetrics":{}} for n,t in (("hash",12.5),("tree",30.5))])}
S["benchmarkdotnet"]={"report.csv":"Method;Job;Runtime;N;Mean;Error;StdDev;Ratio;Gen0;Allocated\nLinq;Job-A;.NET 8.0;1000;12.34 us;0.05 us;0.04 us;1.00;0.1;48 B\nLoop;Job-A;.NET 8.0;1000;3.21 us;0.02 us;0.02 us;0.26;-;-\n"}
S["medals"]={"medals.csv":"Rank,NOC,Gold,Silver,Bronze,Total\n1,United States,40,44,42,126\n2,China,40,27,24,91\n3,Japan,20,12,13,45\n"}
S["osworld_full"]={**S["osworld"],**{f.replace("result.txt","traj.jsonl"):jl([{"step_num":i,"action_timestamp":"20240801@101010","action":"pyautogui.click()","response":"r","reward":0,"done":False,"info":{},"screenshot_file":f"step_{i}.png"} for i in (1,2)]) for f in S["osworld"]}}
S["lol_players"]={"oracle.csv":"gameid,league,year,date,side,position,playername,teamname,champion,gamelength,result,kills,deaths\n"+"".join(f"G{g},LCK,2024,2024-01-1{g} 08:00:00,{s},{p},{n},{t},{c},1800,{r},{k},{k+1}\n" for g,rows in enumerate([(("Blue","T1",1),("Red","GEN",0)),(("Blue","HLE",0),("Red","T1",1)),(("Blue","GEN",1),("Red","HLE",0))]) for s,t,r in rows for p,n,c,k in (("top",t+"-top","Gnar",3),("jng",t+"-jng","Vi",4),("team","","",7)))}
S["voicemos_listeners"]={"DATA/sets/TRAINSET":"".join(f"{s},{s}-utt{u}.wav,{v},x{l},{{}}_{l}_NA_na_Female\n" for s,vs in (("sys64e2f",(3,4,4,5)),("sysaa2cd",(2,3,1,2))) for (u,l),v in zip(((1,"l1"),(2,"l1"),(1,"l2"),(2,"l2")),vs,strict=True))}

# public shapes of benchmarks' own repositories
S["candy"]={"candy-data.csv":"competitorname,chocolate,fruity,hard,sugarpercent,winpercent\n"+"".join(f"{n},{c},{f},{h},.{k}3,{w}\n" for k,(n,c,f,h,w) in enumerate((("Grand",1,0,0,66.97),("Heads",0,1,0,52.34),("Joy",1,0,0,50.35),("Dots",0,1,0,42.25),("Drops",0,1,1,39.46))))}
S["timm"]={"results-imagenet.csv":"model,img_size,top1,top1_err,top5,top5_err,param_count,crop_pct,interpolation\n"+"".join(f"m{i}.in1k,224,{90.5-i*1.5},{9.5+i*1.5},{99.25-i*0.25-i%2},{0.75+i*0.25+i%2},{5.5+i},1.000,bicubic\n" for i in range(9))}
S["openclip"]={"openclip_results.csv":"name,pretrained,params (M),FLOPs (B),Average perf. on 3 datasets,ImageNet 1k,CIFAR-10,CLEVR Counts\n"+"".join(f"{n},{t},{p},{p*2},{round((a+b+c)/3,4)},{a},{b},{c}\n" for n,t,p,a,b,c in (("ViT-B-16","openai",149.62,.6834,.9077,.2099),("ViT-B-16","laion2b",149.62,.7023,.9494,.2311),("ViT-L-14","openai",427.62,.7554,.9559,.1943),("ViT-L-14","laion2b",427.62,.7525,.9664,.3119)))}
S["clip_benchmark"]={"benchmark.csv":"acc1,acc5,mean_per_class_recall,dataset,model,pretrained,task,model_fullname\n"+"".join(f"{v},{v+.25},{v-.05},{d},{m},{t},zeroshot,{m} {t}\n" for m,t,vs in (("B-32","openai",(.5,.25)),("B-32","laion",(.55,.3)),("L-14","openai",(.65,.4)),("L-14","laion",(.7,.45))) for d,v in zip(("cars","fer"),vs,strict=True))}
S["wmt_auto"]={"automatic-scores.tsv":"pair\tsystem\tid\tis_constrained\tmetric\tscore\n"+"".join(f"{p}\t{m}\t{i}\tTrue\t{x}\t{v+k}\n" for p,v in (("cs-uk",30.5),("de-en",40.25)) for i,m in enumerate(("CUNI","GPT4")) for k,x in enumerate(("bleu-all","chrf-all")))}
S["counts_and_rates"]={"leaderboard.csv":"rank,model,provider,items,decided,passes,fails,pass_rate,coverage,behaviour_pass_rate,avg_reply_tokens,est_cost_usd_1pass\n"+"".join(f"{k},{m},bedrock,191,{d},{p},{d-p},{r},{c},{b},396,0.104\n" for k,(m,d,p,r,c,b) in enumerate((("minimax",189,145,.7672,.9895,.9556),("nova",190,130,.6842,.9948,.7),("opus",185,120,.6486,.9686,.8)),1))}
S["favorites"]={"games.csv":"year,round,favorite,underdog,favorite_probability,favorite_win_flag\n2014,2,Texas,Ohio,0.501,1\n2013,2,Ohio,Colorado,0.504,1\n2013,2,Texas,Colorado,0.6,0\n2013,3,Colorado,Texas,0.55,1\n"}
S["dyads"]={"battle_dyads.csv":"isqno,attacker,defender,wt,dyad,direction,primary\n1,Spain,Dutch,1,Dutch|Spain,-1,1\n2,Empire,Spain,1,Empire|Spain,1,1\n3,Dutch,Empire,0.5,Dutch|Empire,-1,0\n4,Dutch,Spain,1,Dutch|Spain,1,1\n"}
S["scenarios"]={"leaderboard.csv":"run_id,timestamp,agent_name,scenario_id,composite_score,sla_quality,carbon,cost,total_sim_time_s\n"+"".join(f"ba37{k}{i},2026-02-14T09:2{i}:07+00:00,{a},{c},{v+i*2},{v+10},{v-5},{v-3},14400.0\n" for k,(a,v) in enumerate((("random",60.5),("rule",70.25))) for i,c in enumerate(("steady_state","cooling")))}
S["competitions"]={"leaderboard.csv":"run_id,created_at,competition_id,status,provider,model_id,mode,metric_name,score_raw,runtime_seconds,budget_time_seconds,seed,submission_sha256\n"+"".join(f"{c}_0fc8{k}{s},2026-02-01T10:5{s}:45-08:00,{c},success,chutes,{m},pf,auc,{v+s/100},218.1,600,{s},d61d{k}{s}9438f\n" for c,b in (("churn",.9),("loans",.7)) for k,(m,v) in enumerate((("glm",b),("qwen",b-.05))) for s in (1,2))}
S["asr_averages"]={"leaderboard.csv":"Model,SADA WER,SADA CER,MGB-2 WER,MGB-2 CER,Average WER,Average CER\narabicai,68.0,37.25,36.5,16.0,52.25,26.625\nwhisper,55.5,34.5,32.75,15.0,44.125,24.75\n"}
S["flagged_rows"]={"Nejumi4_result.csv":"model_name,JA,model_size_category,TOTAL_SCORE,(GLP)_AVG,GLP_code,GLP_math,ALT_AVG,ALT_bias,ALT_tox\n"+"".join(f"m{i},{i%2},api,0.7{5-i},0.6{i},0.5{i},0.7{i},0.8{9-i},0.7{9-i},0.9{(i*3)%10}\n" for i in range(6))}
S["rates_in_brackets"]={"leaderboard.csv":"Model,2000 Tokens (Hallucination Rate),4000 Tokens (Hallucination Rate)\nQwen,40.0%,50.0%\nPhi,30.0%,90.0%\n"}
S["judge_board"]={"judge_selection.csv":"rank,judge,macro_f1,fail_precision,pass_recall,tn_pass,compared,error_rate,transcript\n1,mistral,0.8194,0.9667,0.625,5,97,0.03,submissions/a.jsonl\n2,claude,0.7606,0.977,0.75,6,100,0.0,submissions/b.jsonl\n"}
S["balrog"]={f"{m}/babyai/goto_run_{k:02}.json":J({"task":"BabyAI-Goto","action_frequency":{"left":3},"input_tokens":1767,"done":True,"episode_return":r,"num_steps":20+k,"failed_candidates":[],"progression":float(r>0),"process_num":"Fork-1","seed":89+k,"agent":{"type":"cot","max_history":16},"client":{"client_name":c,"model_id":f"org/{m}","timeout":60}}) for m,c,rs in (("r1","nvidia",(.97,0.0)),("llama","vllm",(0.0,.25))) for k,r in enumerate(rs)}
S["ruler_lengths"]={f"{m}/synthetic/{n}/pred/summary.csv":f"0,1,2\nTasks,niah_single_1,vt\nScore,{v-n//4096},{v-20.5}\nNulls,0/500,0/500\n" for m,v in (("llama",100.0),("qwen",90.0)) for n in (4096,8192)}
S["procgen"]={f"{r}/progress-{g}.csv":"eplenmean,eprewmean,fps,loss/value_loss,misc/serial_timesteps,misc/time_elapsed\n"+"".join(f"{90.5+k},{b+k},8000,0.{9-k},{256.0*k},{60.5*k}\n" for k in (1,2,3)) for r,b in (("ppo",1.5),("uct",2.5)) for g in ("bigfish","coinrun")}
S["tables_in_one"]={"data.min.json":J({"metrics":[{"level":64,"label":"rps","value":5.0,"framework_id":1},{"level":64,"label":"rps","value":7.0,"framework_id":2},{"level":64,"label":"rps","value":6.0,"framework_id":3}],"frameworks":[{"id":1,"label":"a"}],"languages":[{"label":"go"}],"updated_at":"2026-01-01","version":1})}
S["unjudged_pairs"]={"outputs.csv":"code,sum1,system1,sum2,system2\n17#1,A long text.,template,Another.,macro\n17#2,A long text.,template,Words.,gold\n"}
S["lm_eval_old"]={f"pythia/160m_step{k}.json":J({"results":{"arc_easy":{"acc":.5+k/10,"acc_stderr":.01},"lambada":{"acc":.25,"acc_stderr":.02}},"versions":{"arc_easy":0,"lambada":0},"config":{"model":"hf-causal","model_args":f"use_accelerate=True,pretrained=EleutherAI/pythia-160m,revision=step{k}","num_fewshot":0,"limit":None}}) for k in (0,1)}
S["multi_swe_experiments"]={f"evaluation/{lang}/verified/{m}/results/results.json":J({"total_instances":3,"submitted_instances":2,"completed_ids":ids[:2],"resolved":ids[:r],"unresolved_ids":ids[r:2],"incomplete_ids":ids[2:],"submitted_ids":ids[:2],"unremoved_images":["mswe/x:pr-1"],"unstopped_containers":[]}) for lang,ids in (("java",["g__gson-1","g__gson-2","g__jib-3"]),("rust",["r__a-1","r__b-2","r__c-3"])) for m,r in (("a",2),("b",1))}
S["tbench_board"]={f"results/core@0.1.1/{a}/run{k}_2025-08-1{k}__05-27-18/results.json":tb(a,[v,k>1]) for a,v in (("cursor-cli",True),("warp",False)) for k in (1,2)}
S["plus_names"]={"results.json":J({m:{"link":"http://x","pass@1":{"humaneval":v,"humaneval+":v-5,"mbpp":v+2},"prompted":i>0,"size":7.5+i} for i,(m,v) in enumerate((("Open",80.5),("Code",60.25),("Star",70.0)))})}
S["instances_by_name"]={"ablation.csv":"name,Complete,KNN_50,FI,ORTOOLS\n0000_uf-300-30,1.75,1.5,1.25,2.5\n0001_ub-300-30,1.5,1.25,1.75,1.625\n0002_ua-300-30,2.5,2.25,2.75,2.125\n"}
S["similarities"]={"cosine.csv":",ReLU,GELU,SiLU\nReLU,1.0,0.75,0.5\nGELU,0.75,1.0,0.25\nSiLU,0.5,0.25,1.0\n"}
S["safety"]={"airline-safety.csv":"airline,avail_seat_km_per_week,incidents_85_99,fatalities_85_99,incidents_00_14\nAer Lingus,320906734,2,0,0\nAeroflot,1197672318,76,128,6\n"}
S["mispredictions"]={"tournament.csv":"benchmark,branches,incorrect,misprediction_rate\nfp_1,1546797,15927,1.03\nint_1,3771697,402804,10.68\n"}
S["coding_agents"]={"results.jsonl":jl([{"runId":f"026{m}{t}{k}","model":m,"task":f"0{t}-lru","trial":k,"finishedAt":"2026-07-14T09:46:29.081Z","status":"ok","solved":t+k!=bad,"steps":5+k+t,"toolCalls":4,"inputTokens":7733,"costUsd":0.02,"wallMs":10764+k,"firstActionMs":2899} for m,bad in (("sonnet",3),("codex",0)) for t in (1,2) for k in (1,2)])}
# authors' files of public benchmarks, made small
S["openfootball"]={"de.1.json":J({"name":"Bundesliga 2018/19","matches":[{"round":f"Matchday {i}","date":f"2018-08-2{i}","team1":a,"team2":b,"score":{"ht":[0,0],"ft":[x,y]}} for i,(a,b,x,y) in enumerate((("Bayern","Bremen",3,1),("Bremen","Mainz",0,2),("Mainz","Bayern",1,1)))]})}
S["tsml_clusterers"]={"TEST_ami.csv":"TESTAMI,msm,twe,dtw\nACSF1,0.405,0.362,0.214\nAdiac,0.502,0.392,0.451\nBeef,0.125,0.25,0.375\n"}
S["zeroeval_summaries"]={f"{task}.summary.json":J([{"Model":m,"Acc":f"{v+d:.2f}","No answer":"0.00","Total":1000,"Reason Lens":f"{200+v:.2f}"} for m,v in (("o1",90.5),("qwen",70.25),(task,50.5))]) for task,d in (("crux",0),("gsm",4))}
S["forecastbench"]={"leaderboard.csv":"Rank,Model Organization,Model,Dataset,N dataset,Dataset 95% CI,Market,p-val Supers > Forecaster?\n1,FB,Superforecasters,63.9,521,\"[62.7, 65.1]\",73.0,—\n2,FB,Public,59.4,521,\"[57.9, 61.0]\",66.8,<0.001\n3,OpenAI,GPT,58.25,521,\"[57.0, 59.9]\",60.5,0.21\n"}
S["eqbench"]={f"{m}_eqbench_v2_results.json":J({"benchmark_score":v,"benchmark_success":True,"bitsandbytes_quant":q,"eqbench_version":"v2","inference_engine":e,"instruction_template":"OpenChat","model_path":f"org/{m}","n_questions_parseable":171.0,"n_questions_total":171}) for m,v,q,e in (("llama",60.5,"8bit","ooba"),("qwen",70.25,"none","ooba"),("yi",72.5,"none","transformers"))}
S["arc_results"]={"random/results.json":J({"score":0.5,"total_tasks":2,"task_results":{k:{"score":0.0,"cost":0.0,"attempts":2,"total_tokens":0,"duration":d} for k,d in (("66e6c45b",.25),("00576224",.5))}})}
S["mmmu_outputs"]={"llava/Art/output.json":J([{"id":f"validation_Art_{i}","question_type":"multiple-choice","answer":"B","all_choices":["A","B"],"index2ans":{"A":"x","B":"y"},"response":"B"} for i in range(2)])}
S["lfs_pointer"]={"grading_report.json":"version https://git-lfs.github.com/spec/v1\noid sha256:1b523544\nsize 5432\n"}
S["adjacencies"]={"adjacencies.csv":"actors,ann,bob,cyd\nann,9,,\nbob,2,7,\ncyd,2,7,8\n"}
S["explained_choices"]={"castles.csv":"Castle 1,Castle 2,Why did you choose your troop deployment?\n100,0,I need to win at least four castles to win the whole game\n52,48,The others go for the high ones and I take the low ones\n"}
S["appworld"]={"_leaderboard.json":J([{"id":f"x{i}","method":{"name":a},"llm":{"name":m},"date":"2024-07-26","test_normal":{"all":{"task_goal_completion":v,"interactions":33.5}}} for i,(a,m,v) in enumerate((("ReAct","gpt",48.5),("PlanExec","gpt",32.5),("ReAct","llama",24.25),("PlanExec","llama",18.5)))])}

S["llmbar"]={f"{t}/{j}/statistics.json":J({"correct_False":f"{k} / 92 = {k/.92}%","correct_True":f"{k+4} / 92 = {(k+4)/.92}%","correct_average":f"{v}%","kappa_agreement":.125+v/1000}) for t,d in (("GPTInst",0),("Neighbor",4)) for j,k,v in (("ChatGPT",30,35.5+d),("GPT-4",80,89.75-d))}
S["facup"]={"facup.csv":'"Date","Season","home","visitor","FT","hgoal","vgoal","round","neutral"\n"1871-11-11",1871,"Barnes","Civil","2-0","2","0","1",NA\n"1871-11-12",1871,"Hitchin","Barnes","0-0","0","0","1","yes"\n"1872-11-12",1872,"Civil","Hitchin","1-3","1","3","f","no"\n'}
S["biggen"]={"sample_evals.json":J({f"planning_{t}_{i}":{"id":f"planning_{t}_{i}","capability":"planning","task":t,"instance_idx":i,"input":"x","eval_model_name":"judge","response_model_name":"sample-model","response":"y","score":4+i,"feedback":"z"} for t in ("travel","personal") for i in (0,1)})}
S["mlflow_search_runs"]={"runs.csv":"run_id,experiment_id,status,start_time,metrics.val_loss,metrics.accuracy,params.seed,params.lr,params.model,tags.mlflow.runName,tags.mlflow.user\n"+"".join(f"c9307{i}4e17e34799956a3ab3d2756f10,1,FINISHED,2026-11-19 04:47:4{i}.154+00:00,0.4,{v},{k},0.1,{m},{m}-{k},root\n" for i,(m,k,v) in enumerate((("llama",2,.72),("llama",1,.71),("gpt",2,.82),("gpt",1,.81))))}


S["tsml_resamples"]={"EE_accuracy.csv":"Resamples:,0,1,2\nACSF1,0.61,0.53,0.55\nAdiac,0.675,0.647,0.655\n"}


def outcomes(text):
    """The battles that ``x>y``, ``x=y`` and so on stand for, in the order of the file."""
    signs = {">": 1.0, "=": 0.5, "<": 0.0}
    return [(word.partition(s)[0], word.partition(s)[2], signs[s]) for word in text.split() for s in signs if s in word]


# What each shape holds: the sorted values of every agent, the battles in order, or the words of a refusal that gives no option.
EXPECTED = {
    # public shapes of benchmarks' own repositories
    "candy": {n: sorted(v) for n, v in (("Grand", (.03, 66.97)), ("Heads", (.13, 52.34)), ("Joy", (.23, 50.35)), ("Dots", (.33, 42.25)), ("Drops", (.43, 39.46)))},
    "timm": {f"m{i}.in1k": [90.5 - i * 1.5, 99.25 - i * .25 - i % 2] for i in range(9)},
    "openclip": {"ViT-B-16 / openai": [.2099, .6834, .9077], "ViT-B-16 / laion2b": [.2311, .7023, .9494], "ViT-L-14 / openai": [.1943, .7554, .9559], "ViT-L-14 / laion2b": [.3119, .7525, .9664]},
    "clip_benchmark": {"B-32 / openai": [.25, .5], "B-32 / laion": [.3, .55], "L-14 / openai": [.4, .65], "L-14 / laion": [.45, .7]},
    "wmt_auto": {"CUNI": [30.5, 31.5, 40.25, 41.25], "GPT4": [30.5, 31.5, 40.25, 41.25]},
    "counts_and_rates": {"minimax": [.104, .7672, .9556, .9895], "nova": [.104, .6842, .7, .9948], "opus": [.104, .6486, .8, .9686]},
    "favorites": outcomes("Texas>Ohio Ohio>Colorado Texas<Colorado Colorado>Texas"), "dyads": outcomes("Spain<Dutch Empire>Spain Dutch<Empire Dutch>Spain"),
    "scenarios": {"random": [60.5, 62.5], "rule": [70.25, 72.25]},
    "competitions": {"glm": [.71, .72, .91, .92], "qwen": [.66, .67, .86, .87]},
    "asr_averages": {"arabicai": [16, 36.5, 37.25, 68], "whisper": [15, 32.75, 34.5, 55.5]},
    "flagged_rows": {f"m{i}": sorted(round(x, 2) for x in (.5 + i / 100, .7 + i / 100, .79 - i / 100, .9 + (i * 3) % 10 / 100)) for i in range(6)},
    "rates_in_brackets": {"Qwen": [40, 50], "Phi": [30, 90]}, "judge_board": {"mistral": [.03, .625, .8194, .9667], "claude": [0, .75, .7606, .977]},
    "balrog": {"org/r1": [0, .97], "org/llama": [0, .25]}, "ruler_lengths": {"llama": [79.5, 99], "qwen": [69.5, 89]},
    "procgen": {"ppo": [4.5, 4.5], "uct": [5.5, 5.5]}, "tables_in_one": "Take one of them, such as the longest: `python -c",
    "instances_by_name": {"0000_uf-300-30": [1.25, 1.5, 1.75, 2.5], "0001_ub-300-30": [1.25, 1.5, 1.625, 1.75], "0002_ua-300-30": [2.125, 2.25, 2.5, 2.75]},
    "similarities": "is the same on both sides of its diagonal", "safety": {"Aer Lingus": [0, 0, 2], "Aeroflot": [6, 76, 128]}, "mispredictions": {"tournament": [1.03, 10.68]},
    "coding_agents": {"sonnet": [0, 0, 1, 1], "codex": [1, 1, 1, 1]},
    "lm_eval_old": {"EleutherAI/pythia-160m@step0": [.25, .5], "EleutherAI/pythia-160m@step1": [.25, .6]},
    "multi_swe_experiments": {"a": [0, 0, 1, 1, 1, 1], "b": [0, 0, 0, 0, 1, 1]}, "tbench_board": {"cursor-cli": [0, 1, 1, 1], "warp": [0, 0, 0, 1]},
    "plus_names": {"Open": [75.5, 80.5, 82.5], "Code": [55.25, 60.25, 62.25], "Star": [65, 70, 72]},
    "unjudged_pairs": "'system1', 'system2' may be agents, but no column says which is better",
    # found in public repositories
    "wmt_rnk": "must show what they mean", "wmt_darr_blanks": r"use one sign: `tr -s ' \t' , < DArr-seglevel.csv > cells.csv`",
    "wmt_darr": outcomes("uedin>onl-A onl-A>uedin uedin>cu"),
    "wmt_da": {"uedin.5561": [82.5, 83.5, 84.5], "cu.5560": [62.5, 63.5, 64.5]},
    "trec_eval": {"bm25": [0.25, 0.35, 0.35, 0.45], "rm3": [0.3, 0.4, 0.45, 0.55]},
    "trec_run": "A run that is not evaluated has none: `trec_eval -q QRELS RUN > RUN.eval`",
    "ultrafeedback": {"alpaca": [5, 6, 7], "gpt-4": [8, 9, 10]},
    "hh_rlhf": "no column says which agents wrote them",
    "nectar": {"gpt-4": [1, 1], "llama": [3, 3], "mistral": [2, 2]},
    "uf_argilla": outcomes("gpt-4>llama llama>alpaca alpaca>gpt-4"),
    "md_board": "Of a table in Markdown take the cells: `grep",
    "codeforces": {"tourist": [1500, 1500], "petr": [1250, 1250], "jiangly": [1000, 1000]},
    "artificial_analysis": {"O3": [0.6, 0.7], "Flash": [0.65, 0.8], "Nova": [0.7, 0.9]},
    "lcb_site": {"GPT-4o": [50, 100], "Llama": [0, 50]},
    "metr": {"gpt-4": [0, 0.9, 0.9], "claude": [0.9, 0.9, 0.9]},
    "lerobot": {"act": [0, 0, 1], "diffusion": [0, 1, 1]},
    "lerobot_tasks": {"act": [0, 0, 0, 1], "pi0": [0, 1, 1, 1]},
    "pyterrier": {"BM25": [0.2, 0.2, 0.3, 0.3], "DPH": [0.3, 0.3, 0.4, 0.4]},
    "openrouter": {"openai/gpt-4o": [1000], "meta/llama": [900]},
    "google_benchmark": {"BM_Sort/8": [50, 51], "BM_Radix/8": [30, 31]},
    "pytest_benchmark": {"test_a": [0.1, 0.15, 0.2], "test_b": [0.2, 0.3, 0.4]},
    "league": {"City": [89], "Arsenal": [84], "United": [75]},
    "engine_table": {"gun": [52], "deep": [31], "shallow": [21]},
    "aider_json": {"sonnet": [22.2, 51.6, 99.6], "gpt-4o": [4.9, 18.2, 99.6]},
    "average_task_long": {"x": [0.25, 0.5], "y": [0.5, 0.75]}, "average_agent_long": {"x": [0.25, 0.5], "y": [0.5, 0.75]},
    "total_item_long": {"x": [0, 1, 1], "y": [1, 1, 1]},
    "hyperfine": {"grep": [0.5, 0.75], "rg": [0.25, 0.5]}, "hyperfine_csv": {"grep": [0.5], "rg": [0.25]},
    "fund_of_games": {("x", "y"): 2},
    "dopamine_json": {"DQN": [204, 205], "Rainbow": [211, 212], "IQN": [218, 219]},
    "dopamine_csv": {"dqn": [25, 26, 26, 27], "rainbow": [25, 26, 26, 27]},
    "multi_swe": {"modelA": [0, 0, 0, 1, 1], "modelB": [0, 0, 0, 0, 1]},
    "tbench": {"terminus anthropic/claude": [0, 1, 1], "terminus openai/gpt": [1, 1, 1]},
    "amlb": {"AutoGluon": [0.801, 0.802, 0.811, 0.812], "FLAML": [0.801, 0.802, 0.811, 0.812]},
    "mushra_lists": "one row must hold one value. Write one row per value first, in pandas: `frame.explode(['stimuli', 'ratings'])`",
    "webmushra": {"reference": [99, 100], "C1": [61, 62], "C2": [76, 77], "anchor35": [21, 22]},
    "jsonl_dicts": {"a": [0.5, 0.6], "b": [0.5, 0.6]},
    "jsonl_dict_models": {"gpt": [0.5, 0.6, 0.7], "claude": [0.7, 0.7, 0.7]},
    "ab_options": outcomes("gpt>claude claude<llama gpt=llama"),
    "team_ft": outcomes("Arsenal>Forest Burnley<City Forest=Burnley City>Arsenal"),
    "mixed_tabs": r"use one sign: `tr -s ' \t' , < t.txt > cells.csv`",
    "headerless": outcomes("gpt>claude claude<llama gpt>llama"),
    "headerless_scores": {"gpt": [0.5, 0.7], "claude": [0.2, 0.6]},
    "headerless_wide": {"gpt": [0.5, 0.6], "claude": [0.7, 0.8], "llama": [0.1, 0.2]},
    "decimal_comma": {"gpt": [0.5, 0.61], "claude": [0.7, 0.82]},
    "decimal_comma_long": {"gpt": [0.5, 1.5], "claude": [0.2, 0.7]},
    "labels_0_00": outcomes("gpt<claude claude<gpt gpt>llama llama>claude"),
    "labels_12": outcomes("gpt>claude claude<gpt gpt>llama llama<claude"),
    "wide_with_time": {"gpt": [0.5, 0.6], "claude": [0.7, 0.8], "llama": [0.4, 0.4]},
    "wide_only_time": {"gpt": [300], "claude": [320]},
    "wide_one_time": {"gpt": [0.5], "claude": [0.6]},
    "ts_agents": "must show what they mean; 'timestamp', 'math', 'law' do not",
    "id_agents": {"abc123": [0.3, 0.5], "xyz345": [0.4, 0.6]},
    "uuid_agents": {f"0b1f9a2e-1111-4c4c-9999-0123456789a{c}": v for c, v in (("b", [0.3, 0.5]), ("c", [0.4, 0.6]))},
    "kaggle": {"Alpha": [0.91], "Beta": [0.90], "Gamma": [0.85]},
    "kaggle_nested": {"Alpha": [0.91], "Beta": [0.90]},
    "kaggle_rmse": {"Alpha": [0.11], "Beta": [0.12], "Gamma": [0.15]},
    "football_data": outcomes("Burnley<City Arsenal>Forest City=Arsenal"),
    "wandb_table": {"a": [0.3, 0.5], "b": [0.2, 0.6]},
    "mlflow_split": {"eval_results_table": [0, 1]},
    "wandb_runs": {"run-a": [0.3, 0.8], "run-b": [0.2, 0.85]},
    "mlflow_runs": {"runA": [0.4, 0.8], "runB": [0.3, 0.9]},
    "langsmith": {"runA": [0, 1], "runB": [1, 1]},
    "braintrust_no_name": "names none under 'experiment_name', 'experiment'. Write it into the records",
    "braintrust_files": {"before/exp": [0.5, 0.6], "after/exp": [0.7, 0.9]},
    "braintrust_ids": {"gpt 0f3a": [0.5, 0.6], "gpt 99b1": [0.7, 0.9]},
    "evalplus_folders": {"gpt/eval_results": [1, 1], "llama/eval_results": [0, 0]},
    "preflib_same": "'Ann' stands for 1 and 2",
    "opencompass_details": {"gpt": [0, 1, 1, 1, 1], "llama": [0, 0, 0, 1, 1]},
    "livecodebench": {"GPT-4o": [0.5, 1], "Llama": [0, 0.5]},
    "tau_bench": {
        "tool-calling-gpt-0.0_range_0--1": [0, 0, 1, 1, 1, 1],
        "tool-calling-claude-0.0_range_0--1": [1, 1, 1, 1, 1, 1],
    },
    "tau2_bench": {"gpt-4.1": [0, 1], "claude": [1, 1]},
    "mteb": {"intfloat__e5": [0.7, 0.8], "BAAI__bge": [0.75, 0.78]},
    "ifeval": {"gpt": [0, 1], "llama": [0, 0]},
    "bfcl": {"gpt": [0.5, 0.75], "llama": [0.25, 0.5]},
    "bfcl_board": {"GPT-4o": [76.43, 88.1], "Llama": [70.2, 80.1]},
    "harbor_no_model": {"terminus-2 one": [0, 1], "terminus-2 two": [1, 1]},
    "braintrust": {"exp-a": [0.3, 0.3, 0.5, 0.6], "exp-b": [0.3, 0.3, 0.5, 0.6]},
    "evalplus": {"gpt_temp_0.0": [0, 1, 1, 1], "llama_temp_0.0": [0, 0, 1, 1]},
    "bigcodebench": {"gpt": [0, 1], "llama": [0, 0]},
    "helm": {"openai_gpt": [0, 1, 1], "meta_llama": [0, 0, 1]},
    "openai_evals": {"gpt-4": [0, 1], "gpt-3.5": [0, 0]},
    "deepeval": {"base": [0.4, 0.9], "new": [0.8, 0.95]},
    "lighteval": {"org/a": [0.5, 0.6], "org/b": [0.6, 0.7]},
    "opencompass": {"gpt": [55.1, 60, 70], "llama": [40.2, 50]},
    "mqm": {"sysA": [0, 5.1], "sysB": [0, 1]},
    "mos": {"A": [4, 4, 5], "B": [2, 3]},
    "goals_ft_word": outcomes("A>B B=C C<A"),
    "rl_seed_files": {"ppo": [21, 22], "sac": [21, 22]},
    "monitor": {"ppo": [20, 22], "a2c": [22, 30]},
    "long_ids": {"a": [40, 44], "b": [42, 45]},
    "long_two_numbers": {"a": [1, 1], "b": [0, 0]},
    "date_agents_battles": "must show what they mean",
    "id_battles": outcomes("1<2 2<1"),
    "nested_json_results": {"gpt": [0.5, 0.6]},
    "dict_of_models": {"gpt": [0.5, 0.6], "llama": [0.3, 0.4]},
    "list_scores": "one row must hold one value",
    "harbor": {"terminus-2 m1": [0, 1], "terminus-2 m2": [1, 1]},
    "tbench_trials": {"terminus m1": [0, 1]},
    "swe_resolved": {"20250101_a": [0, 1, 1], "20250102_b": [0, 0, 1]},
    "lm_eval_runs": {"a": [0.6, 0.7], "b": [0.6, 0.7]},
    "inspect_epochs": {"aa": [0, 0, 0.5, 0.5, 0.5, 0.5, 1, 1], "b": [0, 0, 0.5, 0.5, 0.5, 0.5, 1, 1]},
    "promptfoo_repeat": {"openai:a": [1, 1, 1, 1], "openai:b": [0, 0, 0, 0]},
    "tsv_scores": {"x": [0.25, 0.5], "y": [0.5, 0.75]},
    "semicolon_excel": {"x": [0.25, 0.5], "y": [0.5, 0.75]},
    "pandas_index": {"x": [0.25, 0.5], "y": [0.5, 0.75]},
    "average_column": {"x": [0.25, 0.75], "y": [0.5, 0.75]}, "average_of_agents": {"x": [0.25, 0.75], "y": [0.5, 0.75]},
    "average_row": {"x": [0.25, 0.75], "y": [0.5, 0.75]}, "total_row": {"x": [0.25, 0.75], "y": [0.5, 0.75]},
    "model_cards": {"x": [0.25, 0.75], "y": [0.5, 0.75]}, "described_tasks": {"x": [0.25, 0.75], "y": [0.5, 0.75]},
    "ranks_by_task": {("y", "x"): 1, ("x", "y"): 1}, "predictions": "'model_a' and 'model_b' must name agents; they hold '0', '1'",
    "mean_row_one_column": {"x": [0.25], "y": [0.75]}, "lmarena_board": {"x": [1300.0], "y": [1280.0], "z": [1260.0]},
    "leaderboard_params": {"x": [0.25, 0.75], "y": [0.25, 0.25]},
    "tasks_first": {"x": [0.25, 0.5], "y": [0.5, 0.75]},
    "dataset_and_model": {"x": [0.5], "y": [0.75]},
    "likert": {"x": [4, 5], "y": [2, 3]},
    "arena_lists": outcomes("y<x x>y y<x"),
    "home_away_colon": outcomes("A>B B=A A<B"),
    "winner_loser": outcomes("x>y y>x x>y"),
    "elo_log": outcomes("x>y y=x"),
    "year_columns": {"x": [10, 20], "y": [30, 40]},
    "rates_with_ties": "win rates must add up to 1 over each pair",
    "payoff_nonsym": "build `beatpath.Margins((M - M.T) / 2, agents)`",
    "payoff_sq_nohead": "must show what they mean",
    # from here on: tools and leagues looked up at the end
    "langfuse": {"qa-v1": [0.5, 0.5, 0.6, 0.7], "qa-v2": [0.7, 0.7, 0.8, 0.9]},
    "langfuse_json": {"qa-v1": [0.5, 0.5], "qa-v2": [0.7, 0.7]},
    "lighteval_details": {"org/a": [0, 1, 1, 1, 1], "other/a": [0, 0, 0, 1, 1]},
    "lighteval_details_hub": {"org/a": [0, 1], "org/b": [1, 1]},
    "lighteval_details_old": {"org/a": [0, 1], "org/b": [1, 1]},
    "rewardbench": {"org/a": [0.4, 0.8], "org/b": [0.3, 0.6]},
    "inspect_evals_df": {"openai/a": [0.7, 0.8], "openai/b": [0.6, 0.75]},
    "letta": {"gpt": [0, 1], "claude": [1, 1]},
    "phoenix": {"evals": [0, 1, 1, 1]},
    "labelstudio": outcomes("gpt>claude llama<claude gpt>llama"),
    "mturk": outcomes("gpt>claude claude<llama gpt=llama"),
    "ergast": {("1", "2", "3"): 1, ("2", "1", "3"): 1},
    "nflverse": outcomes("ATL<MIN CHI>KC CHI=ATL"),
    "nba_log": {("Celtics", "Lakers"): 1, ("Knicks", "Celtics"): 1},
    "spinning_up": {"ppo": [20.5, 21.5], "sac": [20.5, 21.5]},
    "ragas": {"a": [0.8, 0.9], "b": [0.6, 0.7]},
    "qualtrics": "Keep the second: `sed '1d;3d' q.csv > named.csv`",
    "wide_spreads": {"x": [0.5, 0.6], "y": [0.5, 0.7]},
    "optuna": "must show what they mean",
    # from here on: public files looked at with no part in writing the readers
    "ncaa": outcomes("1101>1102 1103>1104 1101>1103 1104>1102"),
    "ufc": '`map={"agent_a": "R_fighter", "agent_b": "B_fighter", "outcome": "Winner"}`',
    "lichess": outcomes("ann>bea cyd<ann bea=cyd"),
    "opendota": outcomes("OG>Liquid OG<Spirit Liquid>Spirit"),
    "pickapic": outcomes("sdxl>dream dream<sd21 sd21=sdxl"),
    "voicemos": "`sed 's/[-_]/,/' DATA/sets/train_mos_list.txt > parts.csv`", "benchexec": "Map them, for example",
    "lol": {("T1", "GEN"): 1, ("T1", "HLE"): 1, ("GEN", "HLE"): 1},
    "azure_eval": {"base": [3, 4], "tuned": [4, 5]},
    "bigcode": {"DeepSeek-33b": [40.25, 43.77, 51.28, 52.45], "CodeLlama-70b": [37.5, 47.25, 49.69, 75.6], "StarCoder": [30.22, 30.5, 31.55, 33.57]},
    "evalscope_reviews": {"qwen": [0, 1, 1], "llama": [0, 0, 1]}, "evalscope_report": {"qwen": [0.6667], "llama": [0.3333]},
    "livebench_judgments": {"gpt": [0, 1, 1], "llama": [0, 0, 1]}, "vlmeval_result": {"llava": [0, 1, 1], "qwenvl": [1, 1, 1]},
    "rcv": '`map={"places": "Mayor Choice 1 of 3+Mayor Choice 2 of 3+Mayor Choice 3 of 3"}`',
    "eurovision": {("hr", "ch"): 1, ("ch", "hr"): 1},
    "lm_eval_samples_only": "must lie beside the results file of its run",
    "swebench_site": {"mini-SWE + gpt": [0, 1], "mini-SWE + sonnet": [1, 1]},
    "openllm_v2": {f"<a href=x>{m}</a>": v for m, v in (("x", [25, 25, 50]), ("y", [45, 50, 75]), ("z", [0, 15, 25]))},
    "epoch": {"gpt-x": [0.75], "llama-y": [0.5], "qwen-z": [0.625]},
    "lmsys_table": {"WizardLM-30B": [0.587, 7.01], "Vicuna-13B": [0.558, 6.57], "PaLM": [6.4]},
    "gaia_submission": "Map them, for example", "gaia_board": {"agent-x": [0.25, 0.5, 0.75], "agent-y": [0.2, 0.4, 0.6], "agent-z": [0.15, 0.25, 0.5]},
    "alpaca_board": {"gpt4": [50, 50, 51], "llama": [33.25, 34.25, 34.5], "falcon": [5.5, 6.5, 7.25]},
    "mixeval": {"gpt-4o": [0.84, 0.9, 0.91], "llama": [0.66, 0.71, 0.75]},
    "tennis_data_uk": [("Ann A.", "Bea B.", 1.0), ("Cyd C.", "Ann A.", 1.0)], "mlperf": {"H100": [70000.5, 700000], "MI300": [60000.5, 600000]},
    "verifiers": {"openai/gpt-a": [0, 1, 1, 1], "openai/gpt-b": [0, 0, 0, 1]},
    "arena_hard_board": {"gpt": [82.5], "claude": [79.25], "llama": [46.5]},
    "openrlbenchmark": {"CleanRL PPO": [2262.5, 2311.49, 3312.32], "openai/baselines PPO2": [1428.55, 2158.65, 3356.49]},
    "open_asr": {"scribe": [2, 2.5, 4.5], "canary": [3.5, 3.5, 5]},
    "atp_doubles": "must show what they mean", "wildbench": {"gemma-2b": [1, 4, 6], "gemma-7b": [2, 5, 6]},
    "swe_info": {"gpt-5": [0, 1, 1], "sonnet": [1, 1, 1]}, "gift_eval": {"CHARM": [2.5, 4.5, 9.5]},
    "winner_again": "the names of columns stand again in row 3 of joined.csv", "mixed_line_ends": r"`tr -d '\r' < m.csv > cells.csv`",
    "spoilt_results": "'result' must hold finite numbers; got '$0.8'",
    "vlmeval_acc": {"llava": [.55, .6, .7], "qwenvl": [.65, .7, .8]},
    "wandb_chart": {"ppo-s1 - eval/return": [201.5], "sac-s1 - eval/return": [203.5]},
    "asr_board": {f"m{i}": [2.5 + i, 3.5 + i] for i in range(5)}, "metrics_of_tasks": {"r": [0.5, 0.75]},
    # from here on: the last tools tried
    "promptfoo_csv": "`promptfoo export eval latest -o results.json`", "promptfoo_csv_columns": "`promptfoo export eval latest -o results.json`",
    "inspect_samples_df": "`beatpath check logs`", "inspect_samples_model": {"openai/a": [0, 1, 1], "openai/b": [1, 1, 1]},
    "helm_page": {"GPT-4o": [0.24, 0.74, 0.75, 0.8, 0.9], "Llama 3": [0.22, 0.5, 0.7, 0.75], "Mistral": [0.2, 0.25, 0.4, 0.5, 0.7]},
    "summeval": {"M11": [*[2] * 6, 3, 3, *[4] * 4, *[5] * 4], "M23": [*[3] * 6, *[4] * 6, *[5] * 4]},
    **dict.fromkeys(("osworld", "osworld_full"), "Make a table of all such files"), "wmt_esa": "Appraise writes none",
    "judgebench": {"haiku arena_hard": [0, 0, 1, 1, 1, 1], "o1 arena_hard": [0, 1, 1, 1, 1, 1]},
    "clickbench": {"ClickHouse c6a.4xlarge": [0.25, 0.25, 0.5, 0.75, 1, 1.5], "DuckDB c6a.4xlarge": [0.125, 0.125, 0.25, 2, 2.5]},
    "monitor_one": {"monitor": [20, 22]}, "lol_players": {("T1", "GEN"): 1, ("T1", "HLE"): 1, ("GEN", "HLE"): 1},
    "voicemos_listeners": {"sys64e2f": [3, 4, 4, 5], "sysaa2cd": [1, 2, 2, 3]},
    "human_eval": {"gpt.jsonl_results": [0, 1, 1], "llama.jsonl_results": [0, 0, 1]}, "hf_trainer": {"bert": [0.925], "roberta": [0.95]},
    "ultralytics": {"yolov8n": [0.8], "yolov8s": [0.85]}, "movielens": {("6", "1", "3"): 1, ("1", "3"): 1, ("6", "3"): 1},
    "summarize_feedback": outcomes("sup4<ref ref>sup4 sup4<ppo ppo>ref"), "nba_elo": outcomes("BOS>PHI GSW>LAL LAL<BOS"),
    "imo": {"Ann": [7] * 6, "Bob": [1, 2, 7, 7, 7, 7], "Cyd": [0, 0, 2, 3, 7, 7], "Dee": [0, 0, 1, 2, 7, 7]}, "ruler": {"llama": [79.5, 89.5, 100], "qwen": [69.5, 79.5, 90]},
    "longbench": {"llama2-7b": [18.5, 24, 28.75], "chatglm3": [26.25, 31.75, 36.5]}, "sklearn_cv": {"{'C': 0.1}": [0.8, 0.9], "{'C': 1.0}": [0.9, 0.95]},
    "jmh": {"org.x.Bench.hash": [12.5], "org.x.Bench.tree": [30.5]}, "benchmarkdotnet": "'Mean' must hold finite numbers; got '12.34 us'",
    "medals": {"United States": [40, 42, 44], "China": [24, 27, 40], "Japan": [12, 13, 20]},
    # from here on: authors' files of public benchmarks
    "openfootball": outcomes("Bayern>Bremen Bremen<Mainz Mainz=Bayern"), "zeroeval_summaries": {"o1": [90.5, 94.5], "qwen": [70.25, 74.25], "crux": [50.5], "gsm": [54.5]},
    "tsml_clusterers": {"ACSF1": [0.214, 0.362, 0.405], "Adiac": [0.392, 0.451, 0.502], "Beef": [0.125, 0.25, 0.375]},
    "forecastbench": {"Superforecasters": [63.9, 73], "Public": [59.4, 66.8], "GPT": [58.25, 60.5]},
    "eqbench": {"llama_eqbench_v2_results": [60.5], "qwen_eqbench_v2_results": [70.25], "yi_eqbench_v2_results": [72.5]},
    "arc_results": {"66e6c45b": [0], "00576224": [0]}, "mmmu_outputs": "Map them, for example", "lfs_pointer": "Fetch the file: `git lfs pull`",
    "adjacencies": "is empty on one side of its diagonal", "explained_choices": "Map them, for example",
    "appworld": {"gpt": [32.5, 48.5], "llama": [18.5, 24.25]},
    "tsml_resamples": "If they number the runs of one agent", "llmbar": {"GPTInst": [35.5, 89.75], "Neighbor": [39.5, 85.75]}, "facup": outcomes("Barnes>Civil Hitchin=Barnes Civil<Hitchin"),
    "biggen": {"sample-model": [4, 4, 5, 5]}, "mlflow_search_runs": {"gpt": [0.81, 0.82], "llama": [0.71, 0.72]},
    # matrices: the upper triangle, by the sorted agents
    "payoff_sq": ("margins", [-0.5, 2, 1.5]),
    "payoff_winrate_noisy": ("win_rates", [0.45, 0.61, 0.7]),
    "percent_matrix": ("win_rates", [0.555, 0.7, 0.605]),
    "rounded_rates": ("win_rates", [0.665, 0.5, 0.5]),
    "payoff_perc": ("pairs", [45, 61, 70]),
    # ballots: how often each order occurs
    "preflib_blank": {("Ann", "Bob", "Cy"): 3, ("Cy", "Ann", "Bob"): 2},
    "places": {("x", "y"): 1, ("y", "x"): 1},
}

# The tasks of the scores, where they are not one task called "all".
TASKS = {
    "zeroeval_summaries": ("crux.summary", "gsm.summary"), "tsml_clusterers": ("dtw", "msm", "twe"), "forecastbench": ("Dataset", "Market"),
    "appworld": ("PlanExec", "ReAct"), "llmbar": ("ChatGPT", "GPT-4"), "biggen": ("personal", "travel"),
    "instances_by_name": ("Complete", "FI", "KNN_50", "ORTOOLS"), "safety": ("fatalities_85_99", "incidents_00_14", "incidents_85_99"), "mispredictions": ("fp_1", "int_1"),
    "coding_agents": ("01-lru", "02-lru"),
    "lm_eval_old": ("arc_easy", "lambada"), "multi_swe_experiments": ("java/verified", "rust/verified"), "plus_names": ("humaneval", "humaneval+", "mbpp"),
    "ruler": ("niah_multikey_1", "niah_single_1", "vt"), "sklearn_cv": ("split0_test_score", "split1_test_score"), "candy": ("sugarpercent", "winpercent"),
    "timm": ("top1", "top5"), "openclip": ("CIFAR-10", "CLEVR Counts", "ImageNet 1k"), "clip_benchmark": ("cars", "fer"), "wmt_auto": ("cs-uk", "de-en"),
    "counts_and_rates": ("behaviour_pass_rate", "coverage", "est_cost_usd_1pass", "pass_rate"), "scenarios": ("cooling", "steady_state"), "competitions": ("churn", "loans"),
    "asr_averages": ("MGB-2 CER", "MGB-2 WER", "SADA CER", "SADA WER"), "flagged_rows": ("ALT_bias", "ALT_tox", "GLP_code", "GLP_math"), "balrog": ("BabyAI-Goto",),
    "rates_in_brackets": ("2000 Tokens (Hallucination Rate)", "4000 Tokens (Hallucination Rate)"), "judge_board": ("error_rate", "fail_precision", "macro_f1", "pass_recall"),
    "vlmeval_acc": ("AR", "CP", "FP-C"), "ruler_lengths": ("niah_single_1", "vt"), "procgen": ("progress-bigfish", "progress-coinrun"),
    "inspect_samples_model": ("arc",), "helm_page": ("GSM8K - EM", "MMLU - EM", "NarrativeQA - F1", "NaturalQuestions (open) - F1", "WMT 2014 - BLEU-4"),
    "judgebench": ("mmlu-pro-law",), "voicemos_listeners": ("xl1", "xl2"), "hf_trainer": ("all_results",), "ultralytics": ("results",),
    "imo": ("p1", "p2", "p3", "p4", "p5", "p6"), "longbench": ("hotpotqa", "narrativeqa", "qasper"), "medals": ("Bronze", "Gold", "Silver"),
    "mlperf": ("bert-99", "resnet"), "openrlbenchmark": ("HalfCheetah-v2", "Hopper-v2", "Walker2d-v2"), "monitor": ("0.monitor",),
    "wandb_chart": ("200",), "asr_board": ("de_covost", "fr_mls"), "metrics_of_tasks": ("bio", "law"),
    "dict_of_models": ("arc", "mmlu"), "bigcode": ("Win Rate", "cpp", "humaneval-python", "java"), "evalscope_reviews": ("gsm8k_main",),
    "evalscope_report": ("gsm8k",), "livebench_judgments": ("AMPS_Hard",), "vlmeval_result": ("shape",), "swebench_site": ("Verified",),
    "openllm_v2": ("BBH", "IFEval", "MATH Lvl 5"), "lmsys_table": ("MMLU", "MT-bench (score)"), "verifiers": ("gsm8k",),
    "gaia_board": ("score_level1", "score_level2", "score_level3"), "mixeval": ("DROP", "MMLU", "TriviaQA"),
    "alpaca_board": ("discrete_win_rate", "length_controlled_winrate", "win_rate"), "open_asr": ("de WER", "fr WER", "it WER"),
    "gift_eval": ("electricity/H/short", "m4_quarterly/Q/short", "m4_yearly/A/short"),
    "ultrafeedback": ("evol_instruct",), "codeforces": ("Round",), "artificial_analysis": ("gpqa", "mmlu_pro"), "metr": ("f",),
    "lerobot_tasks": ("libero 0", "libero 1"), "aider_json": ("pass_rate_1", "pass_rate_2", "percent_cases_well_formed"),
    "average_task_long": ("bio", "law"), "average_agent_long": ("bio", "law"),
    **dict.fromkeys(("average_column", "average_of_agents", "average_row", "total_row"), ("law", "maths")),
    **dict.fromkeys(("model_cards", "described_tasks"), ("law", "maths")),
    **dict.fromkeys(("dopamine_json", "dopamine_csv"), ("Pong", "Qbert")),
    **dict.fromkeys(("decimal_comma", "wide_with_time", "semicolon_excel", "headerless_scores"), ("law", "math")),
    **dict.fromkeys(("id_agents", "uuid_agents"), ("acc", "f1")),
    **dict.fromkeys(("tsv_scores", "pandas_index", "tasks_first", "dataset_and_model", "wide_spreads"), ("arc", "mmlu")),
    "multi_swe": ("SWE-bench",), "tbench": ("terminal-bench-core",), "amlb": ("task1", "task2"), "swe_resolved": ("verified",),
    "jsonl_dict_models": ("q0", "q1", "q2"), "headerless_wide": ("column 2", "column 3"), "decimal_comma_long": ("l", "m"),
    "wandb_table": ("x", "y"), "wandb_runs": ("eval/acc", "train/loss"), "mlflow_runs": ("accuracy", "loss"),
    "helm": ("mmlu:subject=x",), "openai_evals": ("test-match",), "lighteval": ("leaderboard|arc:challenge|25",),
    "opencompass": ("arc", "ceval", "mmlu"), "opencompass_details": ("ARC-c", "gsm8k"), "tau2_bench": ("airline",),
    "mteb": ("AmazonCounterfactual", "Banking77"), "ifeval": ("eval_results_strict",),
    "bfcl": ("BFCL_v3_multiple_score", "BFCL_v3_simple_score"), "bfcl_board": ("Non-Live AST Acc", "Overall Acc"),
    "lm_eval_runs": ("arc",), "inspect_epochs": ("t",), "promptfoo_repeat": ("d",), "leaderboard_params": ("ARC", "MMLU"),
    "year_columns": ("2022", "2023"), "langfuse": ("default",), "langfuse_json": ("default",),
    "lighteval_details": ("arc|25", "gsm8k|0"), "lighteval_details_hub": ("gsm8k|0",), "lighteval_details_old": ("arc",),
    "rewardbench": ("alpacaeval-easy", "hep-cpp"), "inspect_evals_df": ("arc", "gsm8k"), "spinning_up": ("progress",),
}

# The metrics or tasks of some of them that are better when lower.
LOWER = {
    "mispredictions": ("misprediction_rate",), "rates_in_brackets": ("2000 Tokens (Hallucination Rate)", "4000 Tokens (Hallucination Rate)"),
    "safety": ("fatalities_85_99", "incidents_00_14", "incidents_85_99"),
    "clickbench": ("time",), "jmh": ("primaryMetric.score",),
    "open_asr": ("de WER", "fr WER", "it WER"), "wandb_runs": ("train/loss",), "mlflow_runs": ("loss",), "hyperfine": ("time",),
    "gift_eval": ("eval_metrics/MSE[mean]",), "asr_board": ("de_covost", "fr_mls"), "kaggle_rmse": ("Score",), "mqm": ("mqm",),
    "hyperfine_csv": ("mean",),
}
